import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../../src/agent/approval.ts";
import { noUsage, type ToolCall } from "../../src/agent/messages.ts";
import type { DemoClient } from "./demo-client.ts";
import type { DemoSession } from "./demo-session.ts";
import { answerMessage, resultMessage, testApproval } from "./fake-session-client.ts";

const minute = 60_000;
const patch = `--- src/retry.ts
+++ src/retry.ts
@@ -10,9 +10,11 @@
 export async function retry<T>(run: () => Promise<T>, most = 3): Promise<T> {
   let last: unknown;
-  for (let attempt = 1; attempt < most; attempt++) {
+  for (let attempt = 0; attempt < most; attempt++) {
     try {
       return await run();
     } catch (error) {
       last = error;
+      // 日本語のコメント, and a rather long line that has to be wrapped or scrolled somewhere on a narrow phone screen
+      await pause(2 ** attempt * 100);
     }
   }
   throw last;
`;
const longCommand = [
  "set -eu",
  ...Array.from({ length: 58 }, (_, at) => `node scripts/migrate.ts --table part_${at + 1} --batch 500 --verify`),
  "rm -rf ./build/cache",
].join("\n");
const markdown = `## What was wrong

The **retry** loop in \`src/retry.ts\` counted from *one*, so the last try never ran.

1. \`src/retry.ts\` counts from zero now
2. a test holds it: \`test/retry.test.ts\`
   - nested: 日本語のテキスト

\`\`\`ts
for (let attempt = 0; attempt < most; attempt++) await tryOnce(attempt);
\`\`\`

| file | added | removed |
|---|---:|---:|
| src/retry.ts | 3 | 1 |

> All 42 tests pass. See [the docs](https://example.com/retry).

<img src=x onerror="fetch('/hit')"> [a link](javascript:alert(1)) ![a picture](http://evil.example/?d=1)`;
/** 8 by 8 pixels, red. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFUlEQVR4nGP4z8CAFWEXHbQSDKMCAEuPP8Hx0n0MAAAAAElFTkSuQmCC";

const call = (id: string, name: string, args: Record<string, unknown>): ToolCall => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});

/** Fills the client: each group of the list, two approvals that wait, one session that never rests. Returns what stops it. */
export function fillDemo(client: DemoClient, now = Date.now()): () => void {
  longCommandWaits(client, now - 9 * minute);
  diffWaits(client, now - 2 * minute);
  blocked(client, now - 30 * minute);
  retries(client, now - 4 * minute);
  done(client, now - 60 * minute);
  const ended = client.add("q2w3e4", { title: "tidy the changelog", state: "ended", startedAt: now - 90 * minute });
  ended.user("tidy the changelog");
  ended.message(answerMessage("Sorted and shortened."));
  ended.become("ended");
  ended.summary.closedAt = now - 80 * minute;
  const stop = new AbortController();
  void neverRests(client, stop.signal);
  return () => stop.abort();
}

function longCommandWaits(client: DemoClient, startedAt: number): void {
  const session = client.add("k7f3qd", { title: "migrate all tables of the orders database", startedAt });
  session.user("migrate all tables of the orders database");
  session.event({ type: "turn_start", turn: 1 });
  session.message(
    answerMessage("", {
      content: [
        { type: "thinking", thinking: "60 tables. I check each batch, then remove the cache, which holds old rows." },
        { type: "text", text: "I migrate table by table and verify each." },
        call("c1", "bash", { command: longCommand }),
      ],
    }),
  );
  session.ask(waitingApproval({ startedAt, summary: "set -eu … (60 lines)", command: longCommand }));
}

const waitingApproval = (given: { startedAt: number; summary: string; command: string }): Approval =>
  testApproval({
    id: `run-of-k.1.1.${given.startedAt}`,
    summary: given.summary,
    display: [{ kind: "command", command: given.command, cwd: "/home/demo/orders" }],
    cwd: "/home/demo/orders",
    rememberText: "bash: this exact command",
    requestedAt: given.startedAt + minute,
    projectRule: {
      rule: { tool: "bash", command: given.command, repository: "/home/demo/orders" },
      text: "bash: this exact command, in /home/demo/orders",
    },
  });

function diffWaits(client: DemoClient, startedAt: number): void {
  const session = client.add("m4n5p6", { title: "the last retry never runs", repository: "shop", startedAt });
  session.user("the last retry never runs, mend it");
  session.event({ type: "turn_start", turn: 1 });
  const edits = [{ oldText: "let attempt = 1", newText: "let attempt = 0" }];
  session.message(answerMessage("", { content: [call("c1", "edit", { path: "src/retry.ts", edits })] }));
  session.ask(
    testApproval({
      id: "run-of-m.1.1.def",
      toolName: "edit",
      summary: "src/retry.ts (+3 −1)",
      display: [{ kind: "diff", path: "src/retry.ts", patch }],
      reason: "protected-file",
      reasonDetail: "src/retry.ts",
      cwd: "/home/demo/shop",
      requestedAt: startedAt + minute,
      expiresAt: startedAt + 60 * minute,
    }),
  );
}

function blocked(client: DemoClient, startedAt: number): void {
  const session = client.add("b8c9d2", { title: "write the release notes", state: "blocked", startedAt });
  session.user("write the release notes");
  session.become("blocked", { cause: "the provider refused the key (401)", next: "tempi key set openai" });
}

function retries(client: DemoClient, startedAt: number): void {
  const session = client.add("r5t6v7", { title: "count the words of the manual", state: "retrying", startedAt });
  session.user("count the words of the manual");
  session.event({ type: "turn_start", turn: 1 });
  session.retrying = {
    kind: "retrying",
    what: "askModel",
    message: "429: too many requests",
    attempt: 4,
    nextTryAt: Date.now() + 5 * minute,
  };
}

function done(client: DemoClient, startedAt: number): void {
  const usage = { ...noUsage(), input: 18_400, output: 2_100, cacheRead: 96_000, cost: 0.084 };
  const session = client.add("x2y3z4", { title: "why do the tests fail on Mondays?", state: "idle", startedAt, usage });
  session.user("why do the tests fail on Mondays?");
  session.event({ type: "turn_start", turn: 1 });
  session.message(
    answerMessage("", {
      content: [
        { type: "thinking", thinking: "Look at the test first.\n\nThen at the source." },
        call("c1", "read", { path: "src/retry.ts" }),
        call("c2", "bash", { command: "npm test" }),
        call("c3", "read", { path: "docs/calendar.png" }),
      ],
    }),
  );
  const calls = [
    ["1.1", "read", "src/retry.ts"],
    ["1.2", "bash", "npm test"],
    ["1.3", "read", "docs/calendar.png"],
  ] as const;
  for (const [toolCallId, toolName, summary] of calls) {
    session.event({ type: "tool_execution_start", toolCallId, toolName, summary });
  }
  const results = [
    resultMessage("read", "1\timport { pause } from './pause.ts';\n", { toolCallId: "c1" }),
    resultMessage("bash", "42 tests, 1 failed\n", {
      toolCallId: "c2",
      isError: true,
      details: { exitCode: 1, durationMs: 5_300 },
    }),
    resultMessage("read", "", {
      toolCallId: "c3",
      content: [{ type: "image", data: picture, mimeType: "image/png" }],
    }),
  ];
  for (const [at, [toolCallId, toolName, summary]] of calls.entries()) {
    const isError = at === 1;
    session.event({ type: "tool_execution_end", toolCallId, toolName, summary, isError, durationMs: 300 * (at + 1) });
    session.message(results[at]!, toolCallId);
  }
  session.event({ type: "turn_start", turn: 2 });
  session.message(answerMessage("", { content: [call("c4", "edit", { path: "src/retry.ts", edits: [] })] }));
  const details = { diff: patch, added: 3, removed: 1 };
  session.message(resultMessage("edit", "Edited src/retry.ts", { toolCallId: "c4", details }), "2.1");
  session.message(answerMessage(markdown));
  session.state = { ...session.state, turn: 2, usage };
  session.event({ type: "agent_end", reason: "answered" });
  session.become("idle");
}

/** Text streams, then output grows, again and again. */
async function neverRests(client: DemoClient, signal: AbortSignal): Promise<void> {
  const session: DemoSession = client.add("g3h4j5", { title: "a session that never rests", startedAt: Date.now() });
  session.user("go on for ever");
  for (let turn = 1; !signal.aborted; turn++) {
    session.state = { ...session.state, turn };
    session.event({ type: "turn_start", turn });
    await session.stream(`model:${turn}`, 0, "thinking", `Turn ${turn}. What is next? Two commands side by side.`);
    await session.stream(`model:${turn}`, 1, "text", `${markdown}\n\nThat was turn ${turn}.`);
    const calls = [
      call(`a${turn}`, "bash", { command: "npm test" }),
      call(`b${turn}`, "bash", { command: "npm run lint" }),
    ];
    session.message(
      answerMessage("", { content: [{ type: "text", text: `${markdown}\n\nThat was turn ${turn}.` }, ...calls] }),
    );
    session.frame(`model:${turn}`, [], true);
    const ids = calls.map((one, at) => ({ toolCallId: `${turn}.${at + 1}`, summary: String(one.arguments.command) }));
    const started = Date.now();
    session.state = {
      ...session.state,
      running: ids.map((one) => ({ ...one, toolName: "bash", startedAt: started })),
    };
    for (const one of ids) session.event({ type: "tool_execution_start", toolName: "bash", ...one });
    session.tell({ kind: "state", state: session.state });
    await Promise.all(
      ids.map(async ({ toolCallId, summary }, at) => {
        const output = Array.from({ length: 20 + 20 * at }, (_, row) => `${summary}: step ${row + 1} ok`).join("\n");
        await session.stream(toolCallId, 0, "output", output, 15);
        const durationMs = Date.now() - started;
        session.event({
          type: "tool_execution_end",
          toolCallId,
          toolName: "bash",
          summary,
          isError: false,
          durationMs,
        });
        const details = { exitCode: 0, durationMs };
        session.message(resultMessage("bash", output, { toolCallId: calls[at]!.id, details }), toolCallId);
      }),
    );
    session.state = { ...session.state, running: [] };
    session.tell({ kind: "state", state: session.state });
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}
