// Pure unit tests: rows 2.20–2.31 of pi-behaviours.
import { describe, expect, it } from "vitest";
import { buildSystemPrompt, type SystemPromptParts } from "../../src/prompt/system-prompt.ts";

const read = { name: "read", promptSnippet: "Read file contents", promptGuidelines: ["Read before you edit."] };
const bash = {
  name: "bash",
  promptSnippet: "Execute bash\n  commands",
  promptGuidelines: [" Read before you edit. ", ""],
};
const prompt = (parts: Partial<SystemPromptParts> = {}) =>
  buildSystemPrompt({ tools: [read, bash], cwd: "/work", contextFiles: [], ...parts });

describe("tools", () => {
  it("2.20, 2.21: lists tools that have a snippet, on one line each", () => {
    const text = prompt({ tools: [read, bash, { name: "silent" }] });
    expect(text).toContain("Available tools:\n- read: Read file contents\n- bash: Execute bash commands\n\n");
    expect(text).not.toContain("silent");
  });

  it("2.22: says none when no tool has a snippet, and that more may exist", () => {
    expect(prompt({ tools: [{ name: "silent" }] })).toMatch(/Available tools:\n\(none\)\n\nFurther tools may/);
  });

  it("2.23: guidelines are trimmed, kept once, in tool order, and end with the fixed two", () => {
    const text = prompt();
    expect(text.split("Read before you edit.")).toHaveLength(2);
    expect(text).toMatch(/- Read before you edit\.\n- Be brief.*\n- Name files by their path/);
  });

  it("2.24: bash searches only when grep, find and ls are all off", () => {
    expect(prompt()).toContain("Use bash to list and search");
    expect(prompt({ tools: [bash, { name: "grep" }] })).not.toContain("Use bash to list and search");
    expect(prompt({ tools: [read] })).not.toContain("Use bash to list and search");
  });
});

describe("surroundings", () => {
  const contextFiles = [
    { path: "/a/AGENTS.md", text: "outer\n" },
    { path: "/a/b/AGENTS.md", text: "inner", note: "cut" },
  ];

  it("2.29: context files stand in tags with their path, in the order given", () => {
    expect(prompt({ contextFiles })).toContain(
      '<project_instructions path="/a/AGENTS.md">\nouter\n</project_instructions>\n\n<project_instructions path="/a/b/AGENTS.md">\ninner\n(cut)\n</project_instructions>',
    );
  });

  it("2.28: a custom prompt replaces preamble, tools and rules, not context files and workspace", () => {
    const text = prompt({ customPrompt: " You are a poet.\n", contextFiles, date: "2026-12-01" });
    expect(text.startsWith("You are a poet.\n\n")).toBe(true);
    expect(text).not.toContain("Available tools");
    expect(text).not.toContain("Guidelines");
    expect(text).toContain("outer");
    expect(text.endsWith("Date: 2026-12-01\nWorkspace: /work")).toBe(true);
  });

  it("2.31: Windows paths get forward slashes, other names keep their backslash", () => {
    expect(prompt({ cwd: "C:\\x\\y" })).toContain("Workspace: C:/x/y");
    expect(prompt({ cwd: "/odd\\name" })).toContain("Workspace: /odd\\name");
  });

  it("the same parts give the same text, so that the endpoint's cache holds", () => {
    expect(prompt({ date: "2026-12-01" })).toBe(prompt({ date: "2026-12-01" }));
  });

  it("stays short", () => {
    expect(prompt().length).toBeLessThan(4_000);
  });
});
