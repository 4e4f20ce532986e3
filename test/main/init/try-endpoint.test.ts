import { expect, it } from "vitest";
import { inOrder } from "../../../src/main/init/try-endpoint.ts";

it("models that are likely meant stand first, those that do not chat last", () => {
  const ids = ["whisper-1", "alpha", "gpt-5-codex", "text-embedding-3", "beta", "deepseek-chat", "claude-sonnet-4"];
  expect(inOrder(ids.map((id) => ({ id }))).map(({ id }) => id)).toEqual([
    "claude-sonnet-4",
    "deepseek-chat",
    "gpt-5-codex",
    "alpha",
    "beta",
    "text-embedding-3",
    "whisper-1",
  ]);
});
