/**
 * Plays a scripted session against the real terminal, to look at the follower: `node test/support/cli-demo.ts [run|list|show|approve]`.
 * No server, no model.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "../../src/cli/program.ts";
import type { FollowItem } from "../../src/client/contract.ts";
import { fakeServices } from "./fake-cli-services.ts";
import {
  answerMessage,
  at0,
  FakeSessionClient,
  ItemMaker,
  resultMessage,
  testApproval,
  testState,
  testSummary,
} from "./fake-session-client.ts";

const answer = `## What was wrong

The **retry** loop in \`src/retry.ts\` counted from *one*, so the last try never ran.

1. \`src/retry.ts\` counts from zero now
2. a test holds it: \`test/retry.test.ts\`
   - nested: 日本語のテキストも幅を守る

\`\`\`ts
for (let attempt = 0; attempt < most; attempt++) await tryOnce(attempt);
\`\`\`

| file | added | removed |
|---|---:|---:|
| src/retry.ts | 3 | 1 |
| test/retry.test.ts | 12 | 0 |

> All 42 tests pass. See [the docs](https://example.com/retry).`;

const patch = `--- src/retry.ts
+++ src/retry.ts
@@ -10,4 +10,6 @@
 export async function retry(most: number) {
-  for (let attempt = 1; attempt < most; attempt++) {
+  // The last try counts too.
+  for (let attempt = 0; attempt < most; attempt++) {
+    await tryOnce(attempt);
   }
 }
`;

async function* session(client: FakeSessionClient): AsyncIterable<FollowItem> {
  const make = new ItemMaker(() => Date.now());
  const speed = Number(process.env.DEMO_SPEED ?? 1);
  const wait = (ms: number) => sleep(ms / speed);
  async function* stream(
    source: string,
    text: string,
    kind: "text" | "thinking" | "output",
  ): AsyncIterable<FollowItem> {
    for (let from = 0; from < text.length; from += 12) {
      yield make.live(source, [{ kind, offset: from, tail: text.slice(from, from + 12) }]);
      await wait(40);
    }
  }
  yield make.state("running");
  yield make.user("the retry test is flaky, find out why and mend it");
  yield make.event({ type: "agent_start" });
  yield make.event({ type: "turn_start", turn: 1 });
  const thinking = "The test fails now and then. I should look at the loop first and then run the tests.";
  yield* stream("model:1", thinking, "thinking");
  const calls = ["read", "bash"].map((name, index) => ({
    type: "toolCall" as const,
    id: `c${index}`,
    name,
    arguments: {},
  }));
  yield make.message(
    answerMessage("I look at the loop and run the tests.", {
      content: [
        { type: "thinking", thinking },
        { type: "text", text: "I look at the loop and run the tests." },
        ...calls,
      ],
      stopReason: "toolUse",
    }),
  );
  const read = { toolCallId: "1.1", toolName: "read", summary: "src/retry.ts" };
  const bash = {
    toolCallId: "1.2",
    toolName: "bash",
    summary: "npm test -- --reporter=verbose test/retry.test.ts && npm run lint",
  };
  yield make.event({ type: "tool_execution_start", ...read });
  yield make.event({ type: "tool_execution_start", ...bash });
  await wait(300);
  yield make.event({ type: "tool_execution_end", ...read, isError: false, durationMs: 40 });
  const output = Array.from(
    { length: 16 },
    (_, i) => `test ${i} ${i === 9 ? "FAILED \x1b[31mred\x1b[0m" : "ok"} in ${i * 7} ms`,
  ).join("\n");
  yield* stream("1.2", output, "output");
  yield { kind: "workerRestarted" };
  await wait(800);
  yield make.event({ type: "tool_execution_end", ...bash, isError: true, durationMs: 61_400 });
  yield make.message(resultMessage("read", "…"), "1.1");
  yield make.message(
    resultMessage("bash", output, { isError: true, details: { exitCode: 1, durationMs: 61_400 } }),
    "1.2",
  );
  yield make.event({ type: "turn_end", turn: 1, usage: { input: 9000, output: 500, cacheRead: 2000, cacheWrite: 0 } });
  yield {
    kind: "retrying",
    what: "model",
    message: "rate limited by api.example.com",
    attempt: 2,
    nextTryAt: Date.now() + 4_000 / speed,
  };
  await wait(4_000);
  yield make.event({ type: "turn_start", turn: 2 });
  const edit = { toolCallId: "2.1", toolName: "edit", summary: "src/retry.ts (+3 −1)" };
  const approval = testApproval({
    id: "run-1.2.1.abc",
    toolCallId: "2.1",
    toolName: "edit",
    summary: edit.summary,
    display: [{ kind: "diff", path: "src/retry.ts", patch }],
    reason: "level",
    requestedAt: Date.now(),
  });
  yield make.message(
    answerMessage("", {
      content: [{ type: "toolCall", id: "e", name: "edit", arguments: { path: "src/retry.ts" } }],
      stopReason: "toolUse",
    }),
  );
  yield make.event({ type: "tool_execution_start", ...edit });
  yield make.event({ type: "approval_requested", approval });
  yield make.event({ type: "state_changed", state: "waiting" });
  const before = client.calls("decide").length;
  yield make.state("waiting", {
    pending: [approval],
    turn: 2,
    usage: { input: 9000, output: 500, cacheRead: 2000, cacheWrite: 0 },
  });
  while (client.calls("decide").length === before) await sleep(50);
  const decision = (client.calls("decide").at(-1)![2] as { decision: "allow" | "deny" }).decision;
  yield make.event({ type: "approval_resolved", approvalId: approval.id, toolCallId: "2.1", decision, by: "me@here" });
  yield make.event({ type: "state_changed", state: "running" });
  const denied = decision === "deny";
  yield make.event({ type: "tool_execution_end", ...edit, isError: denied, durationMs: 12 });
  yield make.message(
    resultMessage("edit", "done", {
      toolCallId: "e",
      isError: denied,
      ...(denied ? {} : { details: { diff: patch, added: 3, removed: 1 } }),
    }),
    "2.1",
  );
  yield make.event({ type: "turn_end", turn: 2, usage: { input: 11_000, output: 800, cacheRead: 0, cacheWrite: 0 } });
  yield make.event({ type: "turn_start", turn: 3 });
  yield* stream("model:3", answer, "text");
  yield make.message(answerMessage(answer));
  yield make.event({
    type: "turn_end",
    turn: 3,
    usage: { input: 12_000, output: 900, cacheRead: 0, cacheWrite: 0, cost: 0.0312 },
  });
  yield make.event({ type: "agent_end", reason: "answered" });
  yield make.event({ type: "state_changed", state: "idle" });
}

const client = new FakeSessionClient();
client.play = session;
const now = Date.now();
client.sessions = [
  testSummary({ state: "waiting", waiting: 2, startedAt: now - 500_000, cwd: process.cwd() }),
  testSummary({
    id: "m4x9tz",
    state: "blocked",
    title: "upgrade the linter to version 9 and mend what it finds everywhere",
    startedAt: now - 9_000_000,
  }),
  testSummary({
    id: "p2w8rn",
    state: "running",
    title: "write the release notes",
    repository: "tempi",
    startedAt: now - 42_000,
  }),
  testSummary({ id: "a9c3ds", state: "offline", title: "日本語のタイトルも幅を守る", startedAt: now - 90_000_000 }),
  testSummary({
    id: "h5j7kq",
    state: "idle",
    title: "why is the build slow",
    startedAt: now - 80_000,
    closedAt: now - 60_000,
  }),
  testSummary({ id: "w6v2bg", state: "stopped", title: "try the other parser", startedAt: now - 800_000 }),
];
const waiting = testApproval({
  id: "run-1.1.2.def",
  summary: "git push --force",
  display: [
    { kind: "command", command: `git push --force origin main${" ".repeat(400)}; touch /tmp/x`, cwd: "/home/demo" },
  ],
});
client.states.set("k7f3qd", testState({ state: "waiting", pending: [testApproval(), waiting] }));
client.accounts.set("k7f3qd", {
  summary: testSummary({ state: "idle", closedAt: at0 + 700_000 }),
  messages: [{ id: "1", message: answerMessage(answer) }],
  usage: { input: 20_000, output: 1_000, cacheRead: 0, cacheWrite: 0 },
  turns: 3,
  temporalUiPath: "/namespaces/default/workflows/session-k7f3qd",
});
client.uiUrl = "http://127.0.0.1:7612";
const services = {
  ...fakeServices(client),
  cwd: process.cwd(),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => Date.now(),
  onSignal: (name: NodeJS.Signals, handler: () => void) => {
    process.on(name, handler);
    return () => process.off(name, handler);
  },
};
process.exitCode = await runProgram(process.argv.slice(2), { services, version: "demo", registerMachine: () => {} });
