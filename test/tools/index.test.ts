import { KindGuard } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { builtInTools } from "../../src/tools/index.ts";

test("the four tools, complete", () => {
  const tools = builtInTools();
  expect(tools.map(({ name, effect, reattach }) => [name, effect, reattach])).toEqual([
    ["read", "read", undefined],
    ["bash", "external", true],
    ["edit", "idempotent", undefined],
    ["write", "idempotent", undefined],
  ]);
  for (const tool of tools) {
    expect(KindGuard.IsObject(tool.parameters)).toBe(true);
    expect(tool.label).not.toBe("");
    expect(tool.promptSnippet).toBeTypeOf("string");
    expect(tool.preview).toBeTypeOf("function");
    expect(tool.promptGuidelines!.length).toBeGreaterThan(0);
  }
});

test("descriptions carry the limits", () => {
  const [read, bash, , write] = builtInTools();
  expect(read!.description).toContain("2000 lines or 50 KB");
  expect(bash!.description).toContain("2000 lines or 50 KB");
  expect(bash!.description).toContain("24 hours");
  expect(write!.description).toContain("10 MB");
});
