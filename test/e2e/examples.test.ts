import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Cli } from "../support/cli.ts";

const examples = join(import.meta.dirname, "..", "..", "examples");

it("the examples work as they are, copied into the folder of extensions", { timeout: 60_000 }, async () => {
  const key = `sk-${"a1".repeat(12)}`;
  const cli = new Cli();
  const model = cli.script([
    {
      text: "working",
      calls: [
        { name: "word_count", arguments: { paths: "three.txt" } },
        { name: "bash", arguments: { command: `echo ${key}` } },
        { name: "bash", arguments: { command: "git push" } },
      ],
    },
    { text: "finished" },
  ]);
  writeFileSync(join(cli.workspace, "three.txt"), "one two three\n");
  mkdirSync(join(cli.home, "extensions"), { recursive: true });
  for (const name of ["word-count.ts", "redact-secrets.ts"])
    cpSync(join(examples, name), join(cli.home, "extensions", name));
  const run = await cli.run("run", "--approval", "auto", "--on-ask", "deny", "--model", model, "--json", "go");
  expect(run.code, run.stderr).toBe(3);
  const events = Cli.events(run.stdout);
  expect(events.filter(({ type }) => type === "notice")).toEqual([]);
  const results = events
    .filter(({ type, role }) => type === "message_end" && role === "toolResult")
    .map((event) => JSON.stringify(event.message));
  expect(results[0]).toContain("3 three.txt");
  expect(results[1]).toContain("[redacted]");
  expect(results[1]).not.toContain(key);
  expect(results[2]).toMatch(/denied/);
  const asked = events.find(({ type }) => type === "approval_requested");
  expect(asked?.approval).toMatchObject({ reason: "hook", reasonDetail: "it pushes to a remote" });
});
