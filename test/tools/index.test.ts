import { KindGuard } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { builtInTools } from "../../src/tools/index.ts";

test("the seven tools, complete", () => {
  const tools = builtInTools();
  expect(tools.map(({ name, effect, reattach }) => [name, effect, reattach])).toEqual([
    ["read", "read", undefined],
    ["bash", "external", true],
    ["edit", "idempotent", undefined],
    ["write", "idempotent", undefined],
    ["grep", "read", undefined],
    ["find", "read", undefined],
    ["ls", "read", undefined],
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
  const [read, bash, , write, grep, find, ls] = builtInTools();
  expect(read!.description).toContain("2000 lines or 50 KB");
  expect(bash!.description).toContain("2000 lines or 50 KB");
  expect(bash!.description).toContain("24 hours");
  expect(write!.description).toContain("10 MB");
  expect(grep!.description).toMatch(/100 matching lines or 50 KB, and 500 characters/);
  expect(find!.description).toContain("1000 results or 50 KB");
  expect(ls!.description).toContain("500 entries or 50 KB");
});
