// Commands that look at and answer sessions, against a scripted client; and what is wrong usage.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { accountLines } from "../../../src/cli/render/account.ts";
import { lineWidth, plainText } from "../../../src/cli/text/line.ts";
import { fakeServices } from "../../support/fake-cli-services.ts";
import {
  answerMessage,
  at0,
  FakeSessionClient,
  resultMessage,
  testApproval,
  testState,
  testSummary,
} from "../../support/fake-session-client.ts";

function set(options: Parameters<typeof fakeServices>[1] = {}) {
  const client = new FakeSessionClient();
  const services = fakeServices(client, { cwd: "/home/demo", ...options });
  const run = (...args: string[]) => runProgram(args, { services, version: "1.2.3", registerMachine: () => {} });
  return { client, services, run };
}

test.each([
  [["rnu", "x"], "unknown command 'rnu'. Did you mean run?"],
  [["run", "x", "--modle", "y"], "unknown option '--modle'. Did you mean --model?"],
  [["run", "x", "--model"], "argument missing"],
  [["run", "x", "--approval", "never"], "Allowed choices are ask, edits, auto"],
  [["run", "x", "--max-turns", "0"], "whole number"],
  [["resume"], "tempi says attach. Next: tempi attach"],
  [["ls"], "tempi says list"],
  [["ps"], "tempi says list"],
  [["kill", "k7f3qd"], "tempi says stop"],
  [["exec", "x"], "tempi says run"],
  [["auth"], "tempi says init"],
  [["serve"], "tempi says web"],
  [["attach"], 'there is no session here yet. Next: tempi run "what to do"'],
  [["show"], 'there is no session here yet. Next: tempi run "what to do"'],
  [["send"], 'there is no session here yet. Next: tempi run "what to do"'],
  [["set", "k7f3qd"], "set needs something to change"],
])("%j is exit 2 and says what is meant", async (args, words) => {
  const { services, run } = set();
  expect(await run(...args)).toBe(2);
  expect(services.stderr.text).toContain(words);
  expect(services.stderr.text).toMatch(/^tempi: /);
  expect(services.stderr.lines).toHaveLength(1);
  expect(services.stdout.text).toBe("");
});

test("help has three groups, version and help end with 0; no arguments off a terminal are help", async () => {
  const { services, run } = set();
  expect(await run("--help")).toBe(0);
  expect(await run()).toBe(0);
  for (const word of ["Work:", "Answer:", "run [prompt...]", "Exit codes:"])
    expect(services.stdout.text).toContain(word);
  expect(await run("--version")).toBe(0);
  expect(services.stdout.lines.at(-1)).toBe("1.2.3");
  expect(services.stderr.text).toBe("");
});

test.each(["../x", "k7f3qd0000", "x".repeat(2000), "k7f3q!", "uuuuuu", "日本"])(
  "%s is no session, before anything is asked",
  async (id) => {
    for (const command of [["attach"], ["show"], ["stop"], ["approve"], ["deny"], ["retry"]]) {
      const { client, services, run } = set();
      expect(await run(...command, id)).toBe(1);
      expect(services.stderr.text).toContain("no such session");
      expect(services.stderr.text.length).toBeLessThan(200);
      expect(client.asked).toEqual([]);
    }
  },
);

test("an unknown id is exit 1; an ambiguous prefix names the candidates", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary(), testSummary({ id: "k7f3qe" })];
  expect(await run("show", "m4x9tz")).toBe(1);
  expect(services.stderr.text).toContain('no such session: "m4x9tz"');
  expect(await run("show", "k7")).toBe(1);
  expect(services.stderr.text).toContain("k7f3qd, k7f3qe");
});

test("without an id the only fitting session of this repository is meant", async () => {
  const { client, services, run } = set();
  const elsewhere = testSummary({ id: "m4x9tz", cwd: "/other" });
  client.sessions = [testSummary(), elsewhere, testSummary({ id: "h5j7kq", state: "idle" })];
  client.states.set("k7f3qd", testState());
  client.onAsked = ([name]) => name === "finish" && client.states.set("k7f3qd", testState({ state: "ended" }));
  expect(await run("stop", "--end")).toBe(0);
  expect(services.stderr.text).toContain("k7f3qd ended. Go on later");
  expect(client.calls("finish")).toEqual([["finish", "k7f3qd", "me@here"]]);
  client.sessions.push(testSummary({ id: "p2w8rn" }));
  expect(await run("attach")).toBe(2);
  expect(services.stderr.text).toContain("k7f3qd (mend the tests), p2w8rn");
});

test("approve off a terminal: exactly one is allowed at once and printed; none and several are not", async () => {
  const { client, services, run } = set();
  expect(await run("approve")).toBe(1);
  client.sessions = [testSummary({ state: "waiting", waiting: 1 })];
  client.states.set("k7f3qd", testState({ state: "waiting", pending: [testApproval()] }));
  expect(await run("approve")).toBe(0);
  expect(client.calls("decide")).toEqual([
    ["decide", "k7f3qd", { approvalId: testApproval().id, decision: "allow", by: "me@here", via: "command" }],
  ]);
  expect(services.stderr.text).toContain("npm publish");
  const two = [testApproval(), testApproval({ id: "run-1.1.2.def", summary: "git push" })];
  client.states.set("k7f3qd", testState({ state: "waiting", pending: two }));
  expect(await run("approve", "k7f3qd")).toBe(2);
  expect(services.stderr.text).toContain("tempi approve k7f3qd run-1.1.2.def   bash git push");
  expect(await run("deny", "k7f3qd", "run-1.1.2.def", "-m", "not today")).toBe(0);
  expect(client.calls("decide").at(-1)![2]).toMatchObject({
    approvalId: "run-1.1.2.def",
    decision: "deny",
    reason: "not today",
  });
});

test("approve --print gives a signed line for a shell and decides nothing", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ state: "waiting", waiting: 1 })];
  client.states.set("k7f3qd", testState({ state: "waiting", pending: [testApproval()] }));
  expect(await run("approve", "k7f3qd", "--print")).toBe(0);
  expect(client.calls("decide")).toEqual([]);
  expect(client.calls("decisionSignal")).toEqual([
    ["decisionSignal", "k7f3qd", { approvalId: testApproval().id, decision: "allow", by: "me@here" }],
  ]);
  const [line] = services.stdout.lines;
  expect(line).toMatch(/^temporal workflow signal --workflow-id session-k7f3qd --input /);
  const read = execFileSync("sh", ["-c", `printf '%s|' ${line}`], { encoding: "utf8" }).split("|");
  expect(read.at(-2)).toBe('{"reason":"don\'t"}');
});

test("set --forget takes back session rules by the numbers of show, and nothing else", async () => {
  const { client, services, run } = set();
  const rules = ["bash: npm test", "edit: a.ts"].map((text, at) => ({ key: `k${at}`, text, by: "me@here", at: at0 }));
  client.states.set("k7f3qd", testState({ rules }));
  client.sessions = [testSummary()];
  expect(await run("set", "k7f3qd", "--forget", "2")).toBe(0);
  expect(client.calls("configure").at(-1)).toEqual(["configure", "k7f3qd", { forget: ["k1"] }]);
  expect(await run("set", "k7f3qd", "--forget", "all")).toBe(0);
  expect(client.calls("configure").at(-1)).toEqual(["configure", "k7f3qd", { forget: ["k0", "k1"] }]);
  for (const wrong of ["3", "0", "x", "1,,2"]) expect(await run("set", "k7f3qd", "--forget", wrong)).toBe(2);
  expect(services.stderr.text).toContain("--forget takes numbers from 1 to 2, or all");
  expect(client.calls("configure")).toHaveLength(2);
});

test("a refused decision and an unknown approval are exit 1 with the reason", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ state: "waiting" })];
  client.states.set("k7f3qd", testState({ state: "waiting", pending: [testApproval()] }));
  client.outcome = { kind: "refused", reason: "already decided" };
  expect(await run("approve", "k7f3qd")).toBe(1);
  expect(services.stderr.text).toContain("already decided");
  expect(await run("approve", "k7f3qd", "nope")).toBe(1);
  expect(services.stderr.text).toContain('no such approval: "nope"');
});

test("approve on a terminal walks through the cards, oldest first", async () => {
  const { client, services, run } = set({ terminal: true });
  client.sessions = [testSummary({ state: "waiting" })];
  const younger = testApproval({ id: "younger", summary: "git push", requestedAt: at0 + 5 });
  client.states.set("k7f3qd", testState({ state: "waiting", pending: [younger, testApproval()] }));
  const timer = setInterval(() => {
    services.clock.now += 800;
    services.stdin.type(client.calls("decide").length === 0 ? "y" : "n");
  }, 20);
  expect(await run("approve")).toBe(0);
  clearInterval(timer);
  expect(client.calls("decide").map((call) => call[2])).toMatchObject([
    { approvalId: testApproval().id, decision: "allow" },
    { approvalId: "younger", decision: "deny" },
  ]);
  expect(services.stdin.raw).toBe(false);
});

test("retry goes on with a blocked session only, with another model where one is named", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ state: "blocked" })];
  client.states.set("k7f3qd", testState({ state: "idle" }));
  expect(await run("retry", "k7f3qd")).toBe(1);
  expect(services.stderr.text).toContain("is idle, not blocked");
  client.states.set("k7f3qd", testState({ state: "blocked" }));
  expect(await run("retry", "--model", "p/m")).toBe(0);
  expect(client.asked.map((call) => call[0])).toEqual(["resolve", "configure", "retry"]);
});

test("list: empty, filtered, JSON", async () => {
  const { client, services, run } = set();
  expect(await run("list")).toBe(0);
  expect(services.stderr.text).toContain("no sessions");
  client.sessions = [testSummary({ state: "blocked" }), testSummary({ id: "m4x9tz", cwd: "/other" })];
  await run("list", "--waiting", "--json");
  expect(JSON.parse(services.stdout.text)).toMatchObject([{ id: "k7f3qd" }]);
  services.stdout.text = "";
  await run("list", "--here");
  expect(services.stdout.text).toContain("k7f3qd");
  expect(services.stdout.text).not.toContain("m4x9tz");
});

const bigAccount = () => {
  const calls = Array.from({ length: 30 }, (_, index) => ({
    call: {
      type: "toolCall" as const,
      id: `c${index}`,
      name: index % 2 ? "bash" : "edit",
      arguments: index % 2 ? { command: index === 29 ? "npm test" : `make ${index}` } : { path: `src/f${index}.ts` },
    },
    result: resultMessage(index % 2 ? "bash" : "edit", "x", {
      toolCallId: `c${index}`,
      isError: index % 4 === 1,
      details: index % 2 ? { exitCode: index % 4 === 1 ? 2 : 0, durationMs: 10 } : { diff: "+a", added: 2, removed: 1 },
    }),
  }));
  return {
    summary: testSummary({ state: "waiting", title: "t".repeat(200) }),
    messages: [
      { id: "a", message: answerMessage("", { content: calls.map(({ call }) => call), stopReason: "toolUse" }) },
      ...calls.map(({ result }, index) => ({ id: `r${index}`, message: result })),
      { id: "z", message: answerMessage("line\n\n".repeat(50)) },
    ],
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    turns: 3,
    live: testState({ state: "waiting", pending: [1, 2, 3].map((n) => testApproval({ id: `${n}` })) }),
    temporalUiPath: "/namespaces/default/workflows/session-k7f3qd",
  };
};

test.each([20, 60, 120])("the account has at most 24 lines and fits %d columns", (width) => {
  const events = [
    {
      type: "approval_resolved" as const,
      approvalId: "1",
      toolCallId: "1.1",
      decision: "allow" as const,
      by: "ann@pc",
      seq: 1,
      at: at0,
    },
  ];
  const rows = accountLines(
    bigAccount(),
    events,
    { width, colour: false, unicode: true },
    at0,
    "http://127.0.0.1:7612",
  );
  expect(rows.length).toBeLessThanOrEqual(24);
  expect(plainText(rows.at(-1)!)).toBe("workflow: http://127.0.0.1:7612/namespaces/default/workflows/session-k7f3qd");
  expect(Math.max(...rows.slice(0, -1).map(lineWidth))).toBeLessThanOrEqual(width);
  const text = rows.map(plainText).join("\n");
  if (width < 60) return;
  for (const part of [
    "cost unknown",
    "+2 −1 src/f0.ts",
    "15 commands run, 8 failed",
    "… and 6 more",
    "last test: ✗ npm test (exit 2)",
    "approvals: 1 allowed, 0 denied, by ann@pc",
    "waits: bash npm publish",
    "tempi approve k7f3qd",
  ]) {
    expect(text).toContain(part);
  }
});

test("show prints the account, the transcript, or JSON", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary()];
  const { live: _, ...account } = bigAccount();
  client.accounts.set("k7f3qd", account);
  expect(await run("show", "k7f3qd")).toBe(0);
  expect(services.stdout.text).toContain("15 commands run");
  services.stdout.text = "";
  await run("show", "k7f3qd", "--transcript");
  expect(services.stdout.text).toContain("✗ bash make 1");
  services.stdout.text = "";
  await run("show", "k7f3qd", "--json");
  expect(JSON.parse(services.stdout.text)).toMatchObject({ turns: 3 });
});

test("the overview takes a number to attach", async () => {
  const { client, services, run } = set({ terminal: true });
  client.sessions = [testSummary({ state: "idle" })];
  client.play = () => [{ kind: "closed", state: "idle" }];
  const running = run();
  await services.stdout.shown("› ");
  services.stdin.type("1\r");
  expect(await running).toBe(0);
  expect(services.stdout.text).toContain("tempi show k7f3qd");
  expect(client.calls("follow")).toEqual([["follow", "k7f3qd", undefined]]);
});
