import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noUsage } from "../../../src/agent/messages.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { fakeServices } from "../../support/fake-cli-services.ts";
import { answerMessage, FakeSessionClient, resultMessage, testSummary } from "../../support/fake-session-client.ts";

const edit = (id: string, path: string, diff: string, isError = false) => [
  {
    id: `a${id}`,
    message: answerMessage("", { content: [{ type: "toolCall", id, name: "edit", arguments: { path } }] }),
  },
  {
    id: `r${id}`,
    message: resultMessage("edit", "ok", { toolCallId: id, details: { diff, added: 1, removed: 1 }, isError }),
  },
];

function set(messages: ReturnType<typeof edit>, options: Parameters<typeof fakeServices>[1] = {}) {
  const client = new FakeSessionClient();
  client.sessions = [testSummary()];
  client.accounts.set("k7f3qd", { summary: testSummary(), messages, usage: noUsage(), turns: 1, temporalUiPath: "/" });
  const services = fakeServices(client, { cwd: "/home/demo", ...options });
  const run = (...args: string[]) => runProgram(args, { services, version: "1.2.3", registerMachine: () => {} });
  return { services, run };
}

const changes = [
  ...edit("1", "src/a.ts", "@@ -1 +1 @@\n-one\n+two\n"),
  ...edit("2", "b.txt", "@@ -1 +1 @@\n-x\n+y\n"),
  ...edit("3", "src/a.ts", "@@ -1 +1 @@\n-two\n+three\n"),
  ...edit("4", "c.txt", "@@ -1 +1 @@\n-never\n+done\n", true),
];

test("every file with its patches, oldest first; what failed changed nothing", async () => {
  const { services, run } = set(changes);
  expect(await run("diff", "k7f3qd")).toBe(0);
  expect(services.stdout.lines).toEqual([
    "src/a.ts  +2 −2",
    "@@ -1 +1 @@",
    "-one",
    "+two",
    "@@ -1 +1 @@",
    "-two",
    "+three",
    "b.txt  +1 −1",
    "@@ -1 +1 @@",
    "-x",
    "+y",
  ]);
});

test("one file, by any of its names; one that it did not change is exit 2 with those it did", async () => {
  const one = set(changes);
  expect(await one.run("diff", "k7f3qd", "./src/../b.txt")).toBe(0);
  expect(one.services.stdout.lines[0]).toBe("b.txt  +1 −1");
  const none = set(changes);
  expect(await none.run("diff", "k7f3qd", "c.txt")).toBe(2);
  expect(none.services.stderr.text).toBe(
    'tempi: k7f3qd did not change "c.txt"; it changed src/a.ts, b.txt. Next: tempi diff k7f3qd src/a.ts\n',
  );
});

test("a session that changed nothing says so", async () => {
  const { services, run } = set([]);
  expect(await run("diff", "k7f3qd")).toBe(0);
  expect(services.stdout.text).toBe("k7f3qd changed no files by edit or write.\n");
});

test("a terminal gets it through the person's pager; one that is not there loses nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tempi-diff-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "paged");
  const environment = { PATH: "/usr/bin:/bin", NO_COLOR: "1", PAGER: `cat > '${file}'` };
  const paged = set(changes, { terminal: true, environment });
  expect(await paged.run("diff", "k7f3qd")).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("+three\n");
  expect(paged.services.stdout.text).toBe("");
  const missing = set(changes, {
    terminal: true,
    environment: { ...environment, PAGER: "no-such-pager 2> /dev/null" },
  });
  expect(await missing.run("diff", "k7f3qd")).toBe(0);
  expect(missing.services.stdout.text).toContain("+three\n");
});
