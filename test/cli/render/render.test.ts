// Pure unit tests: what is drawn, at several widths, without colour and without UTF-8.
import { expect, test } from "vitest";
import { diffOf } from "../../../src/agent/session-account.ts";
import { callLine, tailLines } from "../../../src/cli/render/call.ts";
import { approvalCard, cardKeyLines } from "../../../src/cli/render/card.ts";
import { diffLines } from "../../../src/cli/render/diff.ts";
import { listLines } from "../../../src/cli/render/list.ts";
import { markdownLines } from "../../../src/cli/render/markdown.ts";
import { type Line, lineWidth, paint, plainText } from "../../../src/cli/text/line.ts";
import type { Look } from "../../../src/cli/text/look.ts";
import { at0, testApproval, testSummary } from "../../support/fake-session-client.ts";

const look = (width: number, changes: Partial<Look> = {}): Look => ({
  width,
  colour: false,
  unicode: true,
  ...changes,
});
const text = (rows: readonly Line[]): string => rows.map(plainText).join("\n");
const widest = (rows: readonly Line[]): number => Math.max(0, ...rows.map(lineWidth));

const markdown = `# Title

A **bold** and *soft* \`code\` [link](https://example.com/a) and a long line that has to be wrapped somewhere.

1. one
2. two
   - inner [x]
- [x] done task

\`\`\`sh
echo "a very long command line that does not fit on a narrow terminal at all"
\`\`\`

| name | value |
|---|---|
| a | 日本語 |

> quoted

<b>html</b>
---`;

test.each([20, 60, 120])("Markdown fits %d columns and keeps its words", (width) => {
  const rows = markdownLines(markdown, look(width));
  expect(widest(rows)).toBeLessThanOrEqual(width);
  const shown = text(rows);
  for (const word of [
    "Title",
    "bold",
    "soft",
    "code",
    "link",
    "one",
    "two",
    "inner",
    "done",
    "日本語",
    "quoted",
    "html",
  ]) {
    expect(shown).toContain(word);
  }
  expect(shown).not.toContain("**");
});

test("Markdown is laid out as written", () => {
  expect(text(markdownLines("# T\n\na **b**\n\n1. x\n2. y\n   - z\n\n```\ncode\n```\n\n> q", look(40)))).toBe(
    ["T", "", "a b", "", "1. x", "2. y", "   • z", "", "  code", "", "│ q"].join("\n"),
  );
});

test("hostile Markdown shows its control bytes", () => {
  const rows = markdownLines("a \x1b]52;c;x\x07 `\x1b[2J`\n\n```\n\x9b1m\n```", look(60));
  expect(rows.map((row) => paint(row, look(60))).join("\n")).not.toMatch(/[\x07\x1b\x9b]/);
  expect(text(rows)).toContain("\\x1b[2J");
});

test("a call is one line at every width", () => {
  const call = {
    state: "failed" as const,
    toolName: "bash",
    summary: "npm test -- --a-very-long-flag --another",
    durationMs: 61_000,
    note: "exit 1",
  };
  for (const width of [20, 60, 120]) expect(widest([callLine(call, look(width))])).toBeLessThanOrEqual(width);
  expect(plainText(callLine(call, look(60)))).toBe("✗ bash npm test -- --a-very-long-flag --anoth…  exit 1 1m01s");
  expect(plainText(callLine({ ...call, summary: "ls\nrm" }, look(60, { unicode: false })))).toBe(
    "x bash ls \\n rm  exit 1 1m01s",
  );
});

test("states differ by sign, not by colour alone", () => {
  const signs = (["running", "done", "failed", "asks", "none"] as const).map(
    (state) => plainText(callLine({ state, toolName: "t", summary: "" }, look(40)))[0],
  );
  expect(signs.join("")).toBe("●✓✗?○");
  expect(new Set(signs).size).toBe(5);
});

test("a tail keeps the last lines and says how many are folded", () => {
  expect(text(tailLines("1\n2\n3\n4\n", 2, look(40)))).toBe("  … 2 lines above\n  │ 3\n  │ 4");
  expect(tailLines("", 5, look(40))).toEqual([]);
});

test("a diff keeps its signs, drops the head, and folds", () => {
  const patch = "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n-old\n--- x\n+new\n same\n";
  expect(text(diffLines(patch, look(40)))).toBe("  @@ -1,2 +1,2 @@\n  -old\n  --- x\n  +new\n   same");
  expect(text(diffLines(patch, look(40), { most: 3 }))).toBe("  @@ -1,2 +1,2 @@\n  -old\n  … 3 more rows");
  expect(diffOf({ diff: ["+a", "-b"] })).toBe("+a\n-b");
  expect(diffOf({ diff: "" })).toBeUndefined();
  expect(diffOf(undefined)).toBeUndefined();
});

test("a card shows the whole command, where and why", () => {
  const card = approvalCard(testApproval(), look(60), { most: 10, position: 1, of: 2 });
  expect(text(card.lines)).toBe(
    ["? bash waits for you · 1 of 2", "│ npm publish", "│ in /home/demo · the command may change something"].join("\n"),
  );
  expect(card.hiddenRows).toBe(0);
  expect(text(cardKeyLines(testApproval(), look(120)))).toBe(
    "y once · a this session: bash: npm publish · n deny · r deny with a reason · v whole text",
  );
  const { rememberText: _, ...once } = testApproval();
  expect(text(cardKeyLines(once, look(120)))).not.toContain("a this");
});

test("a hidden part of a command is flagged and reachable", () => {
  const command = `npm test${" ".repeat(5000)}; touch /tmp/canary\n${"echo\n".repeat(50)}`;
  const approval = testApproval({ display: [{ kind: "command", command, cwd: "/elsewhere" }] });
  const folded = approvalCard(approval, look(60), { most: 5 });
  expect(folded.hiddenRows).toBeGreaterThan(0);
  expect(text(folded.lines)).toContain("; touch /tmp/canary");
  expect(text(folded.lines)).toContain("[5000 blanks]");
  expect(text(folded.lines)).toContain("v shows the whole text");
  const whole = approvalCard(approval, look(60), { most: Number.POSITIVE_INFINITY });
  expect(whole.hiddenRows).toBe(0);
  expect(text(whole.lines).match(/echo/g)).toHaveLength(50);
  expect(text(whole.lines)).toContain("in /elsewhere");
});

test.each([20, 60, 120])("cards fit %d columns", (width) => {
  const approval = testApproval({
    display: [
      { kind: "diff", path: `src/${"long/".repeat(10)}a.ts`, patch: "+x\n-y".repeat(20) },
      { kind: "text", text: "日本語".repeat(40) },
    ],
  });
  expect(widest(approvalCard(approval, look(width), { most: 100 }).lines.slice(1))).toBeLessThanOrEqual(width);
  expect(widest(cardKeyLines(approval, look(width)))).toBeLessThanOrEqual(width);
});

test("the list has its groups in order, aligned, within 60 columns", () => {
  const sessions = [
    testSummary({ state: "waiting", waiting: 2, title: "x".repeat(100) }),
    testSummary({ id: "m4x9tz", state: "running", title: "日本語".repeat(20) }),
    ...Array.from({ length: 12 }, (_, index) => testSummary({ id: `h5j7k${index}`, state: "idle", title: "a\nb\x1b" })),
  ];
  const rows = listLines(sessions, look(60), at0 + 90_000, { doneMost: 10 });
  expect(widest(rows)).toBeLessThanOrEqual(60);
  expect(rows.map(plainText).filter((row) => !row.includes("1m"))).toEqual([
    "Needs you 1",
    "Working 1",
    "Done 12",
    "  2 more: tempi list --all",
  ]);
  const columns = rows
    .map(plainText)
    .filter((row) => row.includes("1m"))
    .map((row) => row.indexOf("1m"));
  expect(new Set(columns).size).toBe(1);
  expect(text(rows)).toContain("a \\n b\\x1b");
});
