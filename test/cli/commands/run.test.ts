// The commands against a scripted client: exit codes, streams, JSON. No server, no model.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentEndReason, SessionStateName } from "../../../src/agent/events.ts";
import { runProgram } from "../../../src/cli/program.ts";
import type { FollowItem } from "../../../src/client/contract.ts";
import type { SessionState } from "../../../src/protocol/session.ts";
import { type FakeServices, fakeServices } from "../../support/fake-cli-services.ts";
import {
  answerMessage,
  FakeSessionClient,
  ItemMaker,
  resultMessage,
  testApproval,
  testSummary,
} from "../../support/fake-session-client.ts";

const folder = mkdtempSync(join(tmpdir(), "tempi-cli-"));

type Options = Parameters<typeof fakeServices>[1];
function set(options: Options = {}): {
  client: FakeSessionClient;
  services: FakeServices;
  run: (...args: string[]) => Promise<number>;
} {
  const client = new FakeSessionClient();
  const services = fakeServices(client, { cwd: folder, ...options });
  const run = (...args: string[]) => runProgram(args, { services, version: "1.2.3", registerMachine: () => {} });
  return { client, services, run };
}

function* ending(
  state: SessionStateName,
  reason: AgentEndReason,
  changes: Partial<SessionState> = {},
): Iterable<FollowItem> {
  const make = new ItemMaker();
  yield make.state("running");
  yield make.user("do it");
  yield make.event({ type: "agent_start" });
  yield make.message(
    answerMessage("intermediate", {
      stopReason: "toolUse",
      content: [
        { type: "text", text: "intermediate" },
        { type: "toolCall", id: "e", name: "edit", arguments: { path: "a.ts" } },
      ],
    }),
  );
  yield make.message(
    resultMessage("edit", "ok", { toolCallId: "e", details: { diff: "+x", added: 2, removed: 1 } }),
    "1.1",
  );
  if (state === "idle") yield make.message(answerMessage("the answer"));
  yield make.event({ type: "agent_end", reason });
  const { cause, next } = changes;
  yield make.event({ type: "state_changed", state, ...(cause ? { cause } : {}), ...(next ? { next } : {}) });
  yield make.state(state, { lastEndReason: reason, ...changes });
  throw new Error("the follower did not end by itself");
}

test.each<[string, SessionStateName, AgentEndReason, number]>([
  ["answered", "idle", "answered", 0],
  ["ended by a tool", "idle", "terminated", 0],
  ["failed", "failed", "failed", 1],
  ["blocked", "blocked", "blocked", 1],
  ["stopped by a person", "stopped", "aborted", 4],
  ["limit of turns", "stopped", "maxTurns", 5],
  ["repeated failures", "stopped", "repeated", 5],
])("%s ends with exit code %s %s %i", async (_name, state, reason, code) => {
  for (const json of [[], ["--json"]]) {
    const { client, run } = set();
    client.play = () => ending(state, reason, state === "blocked" ? { cause: "no key", next: "tempi retry x" } : {});
    expect(await run("run", "do", "it", ...json)).toBe(code);
    expect(client.closed).toBe(true);
  }
});

test("off a terminal stdout carries only the last answer", async () => {
  const { client, services, run } = set();
  client.play = () => ending("idle", "answered");
  await run("run", "do it");
  expect(services.stdout.text).toBe("the answer\n");
  expect(services.stderr.text).toContain("intermediate");
  expect(services.stderr.text).toContain("+2 −1 in 1 file");
  expect(services.stderr.text).not.toMatch(/\x1b/);
});

test("a blocked session names cause and next step, and stdout stays empty", async () => {
  const { client, services, run } = set();
  client.play = () => ending("blocked", "blocked", { cause: "401 from api.x.com", next: "tempi init" });
  await run("run", "do it");
  expect(services.stdout.text).toBe("");
  expect(services.stderr.lines.at(-1)).toMatch(/^tempi: \w{6} is blocked: 401 from api\.x\.com\. Next: tempi init$/);
});

test("what is started: id, title, folder, settings, environment", async () => {
  const { client, run } = set();
  client.play = () => ending("idle", "answered");
  await run("run", "first line\nsecond", "--approval", "edits", "--once");
  const [, input, prompt] = client.calls("start")[0] as [string, Record<string, unknown>, { text: string }];
  expect(input).toMatchObject({
    v: 1,
    title: "first line",
    cwd: folder,
    closeAfterMs: 0,
    environment: { PATH: "/bin" },
  });
  expect(input.sessionId).toMatch(/^[23456789abcdefghjkmnpqrstvwxyz]{6}$/);
  expect(prompt.text).toBe("first line\nsecond");
});

test("--detach prints only the id", async () => {
  const { client, services, run } = set();
  expect(await run("run", "-d", "do it")).toBe(0);
  expect(services.stdout.text).toMatch(/^[a-z2-9]{6}\n$/);
  expect(client.calls("follow")).toHaveLength(0);
});

test("one argument with a blank is a task", async () => {
  const { client, services, run } = set();
  client.play = () => ending("idle", "answered");
  expect(await run("mend the tests")).toBe(0);
  expect(services.stdout.text).toBe("the answer\n");
});

function* waiting(): Iterable<FollowItem> {
  const make = new ItemMaker();
  yield make.state("running");
  yield make.event({ type: "agent_start" });
  yield make.event({ type: "approval_requested", approval: testApproval() });
  yield make.event({ type: "state_changed", state: "waiting" });
  yield make.state("waiting", { pending: [testApproval()] });
  yield make.event({
    type: "approval_resolved",
    approvalId: testApproval().id,
    toolCallId: "1.1",
    decision: "deny",
    by: "me@here",
  });
  yield make.message(answerMessage("I could not"));
  yield make.event({ type: "agent_end", reason: "answered" });
  yield make.event({ type: "state_changed", state: "idle" });
}

test("off a terminal a waiting session is left with exit 3 and the command that answers", async () => {
  const { client, services, run } = set();
  client.play = () => waiting();
  expect(await run("run", "do it")).toBe(3);
  expect(client.calls("decide")).toHaveLength(0);
  expect(services.stdout.text).toBe("");
  expect(services.stderr.lines.at(-1)).toMatch(/^(\w{6}) waits for you\. Next: tempi approve \1$/);
});

test("--on-ask deny denies, goes on, and still ends with 3", async () => {
  const { client, services, run } = set();
  client.play = () => waiting();
  expect(await run("run", "do it", "--on-ask", "deny")).toBe(3);
  expect(client.calls("decide")).toMatchObject([["decide", expect.any(String), { decision: "deny", by: "me@here" }]]);
  expect(services.stdout.text).toBe("I could not\n");
});

test("--json: events in order, session_start first, session_result last", async () => {
  const { client, services, run } = set();
  client.play = () => {
    const make = new ItemMaker();
    return [
      make.state("running"),
      make.event({ type: "agent_start" }),
      make.event({ type: "turn_start", turn: 1 }),
      make.live("model:1", [{ tail: "Hel" }]),
      make.live("model:1", [{ offset: 3, tail: "lo" }]),
      make.message(answerMessage("Hello")),
      make.event({ type: "tool_execution_start", toolCallId: "1.1", toolName: "bash", summary: "ls" }),
      make.live("1.1", [{ kind: "output", tail: "a.ts\n" }]),
      make.event({
        type: "tool_execution_end",
        toolCallId: "1.1",
        toolName: "bash",
        summary: "ls",
        isError: false,
        durationMs: 3,
      }),
      make.event({ type: "turn_end", turn: 1, usage: { input: 5, output: 2, cacheRead: 0, cacheWrite: 0, cost: 0.5 } }),
      make.event({ type: "agent_end", reason: "answered" }),
      make.event({ type: "state_changed", state: "idle" }),
    ];
  };
  expect(await run("run", "--json", "do it")).toBe(0);
  const events = services.stdout.lines.map((line) => JSON.parse(line));
  expect(events.map((event) => event.type)).toEqual([
    "session_start",
    "agent_start",
    "turn_start",
    "message_update",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "turn_end",
    "agent_end",
    "state_changed",
    "session_result",
  ]);
  expect(events[0]).toMatchObject({ schema: 1, sessionId: expect.any(String) });
  expect(events[4]).toMatchObject({ assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "lo" } });
  expect(events[5]).toMatchObject({ seq: 3, message: { role: "assistant" } });
  expect(events[7]).toMatchObject({ toolCallId: "1.1", toolName: "bash", delta: "a.ts\n" });
  expect(events[8]).toMatchObject({ toolCallId: "1.1", toolName: "bash", isError: false, seq: 5 });
  expect(events.at(-1)).toMatchObject({
    state: "idle",
    answer: "Hello",
    turns: 1,
    cost: 0.5,
    files: [],
    denied: 0,
    usage: { input: 5 },
  });
  expect(events.at(-1).error).toBeUndefined();
});

test("--json of a parked session ends with its state and no answer of another", async () => {
  const { client, services, run } = set();
  client.play = () => waiting();
  expect(await run("run", "--json", "do it")).toBe(3);
  expect(JSON.parse(services.stdout.lines.at(-1)!)).toMatchObject({
    type: "session_result",
    state: "waiting",
    cost: null,
  });
  expect(services.stdout.lines.some((line) => JSON.parse(line).type === "approval_requested")).toBe(true);
});

test("an engine that breaks ends with exit 1, one line, and a session_result with the error", async () => {
  const { client, services, run } = set();
  client.play = () => {
    throw new Error("connection lost");
  };
  expect(await run("run", "--json", "do it")).toBe(1);
  expect(JSON.parse(services.stdout.lines.at(-1)!)).toMatchObject({ type: "session_result", error: "connection lost" });
  expect(services.stderr.text).not.toContain("    at ");
});

test("a session that waited once is not left while its old events are told again", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary()];
  client.play = () => {
    const make = new ItemMaker();
    const old = [
      make.event({ type: "agent_start" }),
      make.event({ type: "approval_requested", approval: testApproval() }),
      make.event({ type: "state_changed", state: "waiting" }),
      make.event({
        type: "approval_resolved",
        approvalId: testApproval().id,
        toolCallId: "1.1",
        decision: "allow",
        by: "ann@pc",
      }),
      make.event({ type: "agent_end", reason: "answered" }),
      make.event({ type: "state_changed", state: "idle" }),
      make.event({ type: "agent_start" }),
      make.event({ type: "state_changed", state: "running" }),
    ];
    // The client tells events first and reads the state afterwards.
    return [
      ...old,
      make.state("running"),
      make.message(answerMessage("now")),
      make.event({ type: "agent_end", reason: "answered" }),
      make.event({ type: "state_changed", state: "idle" }),
      make.state("idle", { lastEndReason: "answered" }),
    ];
  };
  expect(await run("attach", "k7f3qd")).toBe(0);
  expect(services.stdout.text).toBe("now\n");
});

test("an old rest of the session does not end a follower of something new", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary()];
  client.states.set("k7f3qd", { ...(new ItemMaker().state("idle") as { state: SessionState }).state, lastEvent: 2 });
  client.play = () => {
    const make = new ItemMaker();
    make.seq = 2;
    return [
      make.state("idle"),
      make.user("more"),
      make.event({ type: "agent_start" }),
      make.message(answerMessage("new answer")),
      make.event({ type: "agent_end", reason: "answered" }),
      make.event({ type: "state_changed", state: "idle" }),
    ];
  };
  expect(await run("send", "-f", "k7", "more", "work")).toBe(0);
  expect(client.calls("send")).toMatchObject([["send", "k7f3qd", { text: "more work", delivery: "steer" }]]);
  expect(services.stdout.text).toBe("new answer\n");
});

async function* endless(make: ItemMaker, signal: AbortSignal): AsyncIterable<FollowItem> {
  yield make.state("running");
  yield make.event({ type: "agent_start" });
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

test("SIGTERM off a terminal stops the turn and ends with 4; SIGHUP leaves", async () => {
  const { client, services, run } = set();
  const make = new ItemMaker();
  let aborted: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  client.play = async function* () {
    yield make.state("running");
    yield make.event({ type: "agent_start" });
    services.signal("SIGTERM");
    await stopped;
    yield make.event({ type: "agent_end", reason: "aborted" });
    yield make.event({ type: "state_changed", state: "stopped" });
  };
  client.onAsked = ([name]) => name === "abort" && aborted();
  expect(await run("run", "do it")).toBe(4);
  expect(client.calls("abort")).toMatchObject([["abort", expect.any(String), "me@here"]]);

  const other = set();
  other.client.play = (_client, signal) => {
    setTimeout(() => other.services.signal("SIGHUP"), 10);
    return endless(new ItemMaker(), signal);
  };
  expect(await other.run("run", "do it")).toBe(130);
  expect(other.client.calls("abort")).toHaveLength(0);
});

test("on a terminal: Ctrl-C twice leaves with 130, says how to come back, and puts the terminal back", async () => {
  const { client, services, run } = set({ terminal: true, columns: 60 });
  client.play = (_client, signal) => {
    setTimeout(() => {
      services.stdin.type("\x03");
      expect(services.stdout.text).toMatch(/\w{6} goes on · Ctrl-C again leaves · Esc stops this turn/);
      services.stdin.type("\x03");
    }, 20);
    return endless(new ItemMaker(), signal);
  };
  expect(await run("run", "do it")).toBe(130);
  expect(client.calls("abort")).toHaveLength(0);
  expect(services.stdout.text).toMatch(/goes on\. Come back: tempi attach \w{6}/);
  expect(services.stdin.raw).toBe(false);
  expect(services.stdout.text.endsWith("\x1b[?2004l\x1b[?25h")).toBe(true);
});

test("on a terminal: a card is answered with y, Esc stops the turn, text steers", async () => {
  const { client, services, run } = set({ terminal: true });
  const make = new ItemMaker();
  const asked = (name: string) =>
    new Promise<void>((resolve) => {
      client.onAsked = (call) => call[0] === name && resolve();
    });
  client.play = async function* () {
    yield make.state("running");
    yield make.event({ type: "approval_requested", approval: testApproval() });
    yield make.event({ type: "state_changed", state: "waiting" });
    yield make.state("waiting", { pending: [testApproval()] });
    void services.stdout.shown(" whole text").then(() => {
      services.clock.now += 800;
      services.stdin.type("y");
    });
    await asked("decide");
    yield make.event({
      type: "approval_resolved",
      approvalId: testApproval().id,
      toolCallId: "1.1",
      decision: "allow",
      by: "me@here",
    });
    yield make.event({ type: "state_changed", state: "running" });
    setTimeout(() => services.stdin.type("hurry\r"), 20);
    await asked("send");
    setTimeout(() => services.stdin.type("\x1b"), 20);
    await asked("abort");
    yield make.event({ type: "agent_end", reason: "aborted" });
    yield make.event({ type: "state_changed", state: "stopped" });
  };
  expect(await run("run", "do it")).toBe(4);
  expect(client.calls("decide")).toMatchObject([["decide", expect.any(String), { decision: "allow", by: "me@here" }]]);
  expect(client.calls("send")).toMatchObject([["send", expect.any(String), { text: "hurry", delivery: "steer" }]]);
});

test.each([
  ["empty", ["run", ""], {}],
  ["blanks", ["run", "   "], {}],
  ["blanks alone", ["   "], {}],
  ["empty stdin", ["run", "-"], { stdin: "\n" }],
  ["1 MB", ["run", "-"], { stdin: "x".repeat(1_000_000) }],
  ["missing file", ["run", "x", "--file", "/nope"], {}],
])("a prompt that is %s is exit 2 before anything starts", async (_name, args, options) => {
  const { client, services, run } = set(options);
  expect(await run(...args)).toBe(2);
  expect(client.asked).toEqual([]);
  expect(services.stderr.text).toMatch(/^tempi: .*(Next: .*)?\n$/);
});

test("- reads stdin", async () => {
  const { client, run } = set({ stdin: "from a pipe\nline 2\n" });
  client.play = () => ending("idle", "answered");
  await run("run", "-");
  expect(client.calls("start")[0]![2]).toMatchObject({ text: "from a pipe\nline 2" });
});

test("workspaces that cannot be: missing, a file, the root folder, one that holds the home folder", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  mkdirSync(join(folder, "homes", "ann"), { recursive: true });
  vi.stubEnv("HOME", join(folder, "homes", "ann"));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [path, words] of [
    [join(folder, "nope"), "does not exist"],
    [file, "is a file"],
    ["/", "--yes"],
    [join(folder, "homes", "ann"), "your home folder"],
    [join(folder, "homes"), "a folder that holds your home folder"],
  ] as const) {
    const { services, run } = set();
    expect(await run("run", "x", "--cwd", path)).toBe(1);
    expect(services.stderr.text).toContain(words);
  }
  const { run } = set();
  expect(await run("run", "-d", "x", "--cwd", "/", "--yes")).toBe(0);
});

test("inside a session run, approve and set are refused", async () => {
  for (const args of [["run", "x"], ["approve"], ["set", "k7f3qd", "--title", "x"]]) {
    const { client, run } = set({ environment: { TEMPI_SESSION: "k7f3qd" } });
    expect(await run(...args)).toBe(2);
    expect(client.asked).toEqual([]);
  }
});

test("images go with the prompt of run and of send", async () => {
  const { client, run } = set();
  client.sessions = [testSummary()];
  expect(await run("run", "look", "--image", "a.png", "--image", "b.png", "--detach")).toBe(0);
  const attachments = ["a.png", "b.png"].map((data) => ({ type: "image", data, mimeType: "image/png" }));
  expect(client.calls("start")[0]![2]).toMatchObject({ text: "look", attachments });
  expect(await run("send", "k7f3qd", "and", "this", "--image", "c.png")).toBe(0);
  expect(client.calls("send")[0]![2]).toMatchObject({ text: "and this", attachments: [{ data: "c.png" }] });
});
