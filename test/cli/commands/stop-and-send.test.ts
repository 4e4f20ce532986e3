// What ends a follower from outside: signals, a blocked session, the end of a session. Against a scripted client.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import type { FollowItem } from "../../../src/client/contract.ts";
import { fakeServices } from "../../support/fake-cli-services.ts";
import { FakeSessionClient, ItemMaker, testState, testSummary } from "../../support/fake-session-client.ts";

const folder = mkdtempSync(join(tmpdir(), "tempi-cli-"));

afterEach(() => {
  vi.useRealTimers();
});

function set(options: Parameters<typeof fakeServices>[1] = {}) {
  const client = new FakeSessionClient();
  const services = fakeServices(client, { cwd: folder, ...options });
  const run = (...args: string[]) => runProgram(args, { services, version: "1.2.3", registerMachine: () => {} });
  return { client, services, run };
}

async function* workingUntil(make: ItemMaker, signal: AbortSignal): AsyncIterable<FollowItem> {
  yield make.state("running");
  yield make.event({ type: "agent_start" });
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

test.each([[[]], [["--json"]]])("a signal that comes twice is one: the stop is awaited and told %j", async (flags) => {
  const { client, services, run } = set();
  const make = new ItemMaker();
  client.play = async function* () {
    yield make.state("running");
    yield make.event({ type: "agent_start" });
    services.signal("SIGTERM");
    services.clock.now += 40;
    services.signal("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 50));
    yield make.event({ type: "agent_end", reason: "aborted" });
    yield make.event({ type: "state_changed", state: "stopped", cause: "stopped by me@here" });
    yield make.state("stopped", { lastEndReason: "aborted" });
  };
  expect(await run("run", "do it", ...flags)).toBe(4);
  expect(client.calls("abort")).toHaveLength(1);
  if (flags.length === 0) expect(services.stderr.lines.at(-1)).toMatch(/^\w{6} stopped/);
  else expect(JSON.parse(services.stdout.lines.at(-1)!)).toMatchObject({ type: "session_result", state: "stopped" });
});

test.each([[[]], [["--json"]]])("a later signal leaves, and says what was asked %j", async (flags) => {
  const { client, services, run } = set();
  client.play = (_client, signal) => {
    setTimeout(() => {
      services.signal("SIGINT");
      services.clock.now += 900;
      services.signal("SIGINT");
    }, 10);
    return workingUntil(new ItemMaker(), signal);
  };
  expect(await run("run", "do it", ...flags)).toBe(4);
  if (flags.length === 0) {
    expect(services.stderr.lines.at(-1)).toMatch(/^asked to stop; (\w{6}) will stop when its worker answers\. .*\1$/);
    expect(services.stderr.text).not.toContain("goes on");
  } else {
    expect(JSON.parse(services.stdout.lines.at(-1)!)).toMatchObject({ state: "running", stopRequested: true });
  }
});

test("a stop that nobody confirms is given up after ten seconds", async () => {
  vi.useFakeTimers();
  const { client, services, run } = set();
  client.play = (_client, signal) => {
    setTimeout(() => services.signal("SIGTERM"), 10);
    return workingUntil(new ItemMaker(), signal);
  };
  const running = run("run", "do it");
  await vi.advanceTimersByTimeAsync(9_900);
  expect(services.stderr.text).not.toContain("asked to stop");
  await vi.advanceTimersByTimeAsync(200);
  expect(await running).toBe(4);
  expect(services.stderr.text).toContain("asked to stop");
});

async function* blocked(after: number, signal: AbortSignal): AsyncIterable<FollowItem> {
  const make = new ItemMaker();
  make.seq = after;
  yield make.state("blocked", { cause: "401 from api.x.com", next: "tempi retry k7f3qd", queued: [] });
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

test.each([
  ["send", ["send", "-f", "k7f3qd", "more"], false],
  ["send --json", ["send", "--json", "k7f3qd", "more"], false],
  ["send on a terminal", ["send", "-f", "k7f3qd", "more"], true],
  ["run -c", ["run", "-c", "more"], false],
  ["attach", ["attach", "k7f3qd"], false],
])("%s to a blocked session says so and ends with 1", async (name, args, terminal) => {
  const { client, services, run } = set({ terminal });
  client.sessions = [testSummary({ state: "blocked", cwd: folder })];
  const state = { state: "blocked", lastEvent: 7, cause: "401 from api.x.com", next: "tempi retry k7f3qd." } as const;
  client.states.set("k7f3qd", testState(state));
  client.play = (_client, signal) => blocked(name === "attach" ? 0 : 7, signal);
  expect(await run(...args)).toBe(1);
  const sent = client.calls("send").length === 1;
  expect(sent).toBe(name !== "attach");
  const said = services.stderr.text + services.stdout.text;
  expect(said).toContain("k7f3qd is blocked: 401 from api.x.com.");
  expect(said).not.toContain("tempi retry k7f3qd.");
  if (sent)
    expect(said.replace(/\s+/g, " ")).toContain("The text is queued until it goes on. Next: tempi retry k7f3qd");
});

test("send -f to a session whose state is unknown at first ends when it is blocked", async () => {
  const { client, run } = set();
  client.sessions = [testSummary()];
  client.play = (_client, signal) => blocked(0, signal);
  expect(await run("send", "-f", "k7f3qd", "more")).toBe(1);
});

test("send without -f to a blocked session says that the text is queued", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ state: "blocked" })];
  client.states.set("k7f3qd", testState({ state: "blocked" }));
  expect(await run("send", "k7f3qd", "more")).toBe(0);
  expect(services.stderr.text).toContain("The text is queued until it goes on. Next: tempi retry k7f3qd\n");
});

test("stop --end of an ended session is done already", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ state: "ended", closedAt: 1 })];
  expect(await run("stop", "--end", "k7f3qd")).toBe(0);
  expect(services.stderr.text).toContain("already ended");
  expect(client.calls("finish")).toEqual([]);
});

test("stop --end waits five seconds for the end, then says what is true", async () => {
  vi.useFakeTimers();
  const { client, services, run } = set();
  client.sessions = [testSummary()];
  client.states.set("k7f3qd", testState());
  const running = run("stop", "--end", "k7f3qd");
  await vi.advanceTimersByTimeAsync(5_500);
  expect(await running).toBe(0);
  expect(services.stderr.text).toContain("was asked to end");
});

test("send alone names the sessions of this repository", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ cwd: folder }), testSummary({ id: "m4x9tz", cwd: "/other", repository: "o" })];
  expect(await run("send")).toBe(2);
  expect(services.stderr.text).toContain("Sessions here: k7f3qd (mend the tests). Next: tempi send k7f3qd");
  expect(services.stderr.text).not.toContain("m4x9tz");
});

test("run --json --detach prints the event a follower would begin with", async () => {
  const { services, run } = set();
  expect(await run("run", "--json", "-d", "do it")).toBe(0);
  expect(services.stdout.lines).toHaveLength(1);
  expect(JSON.parse(services.stdout.text)).toEqual({
    type: "session_start",
    schema: 1,
    sessionId: expect.stringMatching(/^\w{6}$/),
  });
});

test("other sessions in the folder are named with what takes turns, and where", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary({ cwd: folder })];
  await run("run", "-d", "do it");
  expect(services.stderr.text).toContain("edits take turns on this machine");
});

test("a file that cannot be read is named with the next step", async () => {
  const { services, run } = set();
  expect(await run("run", "x", "--file", "/nope")).toBe(2);
  expect(services.stderr.text).toMatch(/cannot be read \(ENOENT\)\. Next: /);
});

test("after a gap the follower goes on with the numbers that follow, and ends", async () => {
  const { client, services, run } = set();
  client.sessions = [testSummary()];
  client.play = async function* (_client, signal) {
    const make = new ItemMaker();
    make.seq = 40;
    yield make.event({ type: "agent_start" });
    yield make.state("running");
    yield { kind: "resync", why: "the session was reset to an earlier point" };
    make.seq = 3;
    yield make.event({ type: "agent_end", reason: "answered" });
    yield make.event({ type: "state_changed", state: "idle" });
    yield make.state("idle", { lastEndReason: "answered" });
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  expect(await run("attach", "k7f3qd")).toBe(0);
  expect(services.stderr.text).toContain("a part is not shown: the session was reset");
  expect(await run("attach", "k7f3qd", "--json")).toBe(0);
  expect(services.stdout.text).toContain('"type":"resync"');
});
