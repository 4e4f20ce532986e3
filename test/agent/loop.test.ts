// Pure unit tests: no worker, no server.
import { describe, expect, it } from "vitest";
import type { LoopState } from "../../src/agent/loop.ts";
import { textOf } from "../../src/agent/messages.ts";
import { assistant, call, FakePorts, limits, toolResult, user } from "./support.ts";

describe("the loop", () => {
  it("answers a prompt in one turn and tells it in Pi's order", async () => {
    const ports = new FakePorts([assistant(["hello"])]);
    expect(await ports.go()).toEqual({ reason: "answered" });
    expect(ports.events.map(({ type }) => type)).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
    expect(ports.ids).toEqual(["prompt", "a1"]);
  });

  it("runs calls because they are there, whatever the finish reason says (case 16)", async () => {
    const ports = new FakePorts([assistant(["let me look", call("a"), call("b"), call("c")], "stop")]);
    await ports.go();
    expect(ports.ids).toEqual(["prompt", "a1", "r1.1", "r1.2", "r1.3", "a2"]);
  });

  it("ends at a finish reason of tool calls without a call (case 17)", async () => {
    const ports = new FakePorts([assistant([], "toolUse")]);
    expect(await ports.go()).toEqual({ reason: "answered" });
    expect(ports.log).toEqual(["model 1"]);
  });

  it("runs none of the calls of an answer cut off by length, and asks again (case 22)", async () => {
    const ports = new FakePorts([assistant([call("write"), call("write")], "length")]);
    await ports.go();
    expect(ports.log).toEqual(["model 1", "model 2"]);
    expect(ports.results).toHaveLength(2);
    expect(ports.results[0]).toMatch(/send the call again, in smaller parts/i);
    expect(ports.types("tool_execution")).toEqual([
      "tool_execution_start 1.1",
      "tool_execution_start 1.2",
      "tool_execution_end 1.1",
      "tool_execution_end 1.2",
    ]);
  });

  it("stops at the limit of turns", async () => {
    const ports = new FakePorts(Array.from({ length: 20 }, (_, at) => assistant([call("a", { at })])));
    expect(await ports.go(undefined, { ...limits, maxTurns: 3 })).toMatchObject({ reason: "maxTurns" });
    expect(ports.log.filter((line) => line.startsWith("model"))).toHaveLength(3);
  });

  it("counts turns for each prompt anew", async () => {
    const ports = new FakePorts([assistant([call("a")]), assistant(["1"]), assistant([call("b")]), assistant(["2"])]);
    ports.followUps = [user("second")];
    expect(await ports.go(undefined, { ...limits, maxTurns: 2 })).toEqual({ reason: "answered" });
  });

  it("takes steering after the running batch, never between call and result (case 31)", async () => {
    const ports = new FakePorts([assistant([call("a"), call("b")])]);
    ports.run = async (callId) => {
      if (callId === "1.1") ports.steering.push(user("note"));
      return {};
    };
    await ports.go();
    expect(ports.ids).toEqual(["prompt", "a1", "r1.1", "r1.2", "note", "a2"]);
  });

  it("takes one steering prompt per turn and follow-ups when the work is done", async () => {
    const ports = new FakePorts([assistant([call("a")])]);
    ports.run = async () => {
      ports.steering.push(user("s1"), user("s2"));
      ports.followUps.push(user("f1"));
      return {};
    };
    await ports.go();
    expect(ports.ids).toEqual(["prompt", "a1", "r1.1", "s1", "a2", "s2", "a3", "f1", "a4"]);
  });

  it("ends without a further request when the model was aborted, and keeps the partial answer", async () => {
    const ports = new FakePorts([assistant(["half"], "aborted")]);
    ports.steering = [user("later")];
    expect(await ports.go()).toEqual({ reason: "aborted" });
    expect(ports.ids).toEqual(["prompt", "a1"]);
    expect(ports.steering).toHaveLength(1);
  });

  it("ends with the model's error", async () => {
    const ports = new FakePorts([{ reason: "failed", errorMessage: "invalid request" }]);
    expect(await ports.go()).toEqual({ reason: "failed", errorMessage: "invalid request" });
    expect(ports.events.at(-1)).toMatchObject({ type: "agent_end", reason: "failed", errorMessage: "invalid request" });
  });

  it("stops after six equal failing calls, and not for different ones (cases 8, 53)", async () => {
    const same = new FakePorts(Array.from({ length: 20 }, () => assistant([call("write", { path: "big.html" })])));
    same.prepared = (callId) => ({
      kind: "immediate",
      result: { id: `p${callId}`, message: toolResult("missing content", true) },
    });
    expect(await same.go(undefined, { ...limits, maxTurns: 50 })).toMatchObject({ reason: "repeated" });
    expect(same.log.filter((line) => line.startsWith("model"))).toHaveLength(6);
    const different = new FakePorts(
      Array.from({ length: 8 }, (_, at) => assistant([call("write", { path: `${at}` })])),
    );
    different.run = async () => ({ isError: true });
    expect(await different.go(undefined, { ...limits, maxTurns: 50 })).toEqual({ reason: "answered" });
  });

  it("stops at a pair of calls that fail by turns too, but not at one answer that holds a failing call many times (B40)", async () => {
    const pair = new FakePorts(Array.from({ length: 20 }, () => assistant([call("a"), call("b")])));
    pair.run = async () => ({ isError: true });
    expect(await pair.go(undefined, { ...limits, maxTurns: 50 })).toMatchObject({ reason: "repeated" });
    expect(pair.log.filter((line) => line.startsWith("model"))).toHaveLength(6);
    const many = new FakePorts([assistant(Array.from({ length: 50 }, () => call("a")))]);
    many.run = async () => ({ isError: true });
    expect(await many.go()).toEqual({ reason: "answered" });
  });

  it("goes on elsewhere without a second start and without a prompt", async () => {
    const ports = new FakePorts([assistant([call("a")]), assistant(["done"])]);
    const state = { turn: 0, turnsThisPrompt: 0 };
    ports.beforeNextTurn = () => {
      throw new Error("continue as new");
    };
    await expect(ports.go(state)).rejects.toThrow("continue as new");
    const next = new FakePorts([assistant(["done"])]);
    const { runAgentLoop } = await import("../../src/agent/loop.ts");
    expect(await runAgentLoop(next, state, limits, true)).toEqual({ reason: "answered" });
    expect(next.events.map(({ type }) => type)).not.toContain("agent_start");
    expect(next.log).toEqual(["model 2"]);
  });

  const failing = (times: number) => ({ stored: user(`check failed ${times}`) });

  it("goes on while the check of its answer fails, and ends when it is content", async () => {
    const ports = new FakePorts([assistant(["one"]), assistant(["two"]), assistant(["three"])]);
    ports.checks = [failing(1), failing(2)];
    expect(await ports.go()).toEqual({ reason: "answered" });
    const said = ports.transcript.map(({ message }) => textOf(message.content));
    expect(said).toEqual(["prompt", "one", "check failed 1", "two", "check failed 2", "three"]);
  });

  it("is stopped by the limit of turns while its check fails, and by the check itself", async () => {
    const ports = new FakePorts([]);
    ports.checks = Array.from({ length: 20 }, (_, at) => failing(at));
    expect(await ports.go(undefined, { ...limits, maxTurns: 4 })).toMatchObject({ reason: "maxTurns" });
    expect(ports.log).toHaveLength(4);
    const same = new FakePorts([]);
    same.checks = [failing(1), { ...failing(2), end: { reason: "until", errorMessage: "the same again" } }];
    expect(await same.go()).toEqual({ reason: "until", errorMessage: "the same again" });
    expect(textOf(same.transcript.at(-1)!.message.content)).toBe("check failed 2");
  });

  it("takes a prompt that came while the check ran, with turns and failures of its own", async () => {
    const ports = new FakePorts([assistant(["one"]), assistant(["two"])]);
    const state: LoopState = { turn: 0, turnsThisPrompt: 0 };
    ports.checkAnswer = async () => {
      if (ports.log.length === 1) ports.followUps.push(user("more"));
      return undefined;
    };
    expect(await ports.go(state)).toEqual({ reason: "answered" });
    expect(state).toMatchObject({ turn: 2, turnsThisPrompt: 1 });
  });

  it("says the limit that stopped it, where no person did", async () => {
    const ports = new FakePorts([{ reason: "aborted" }]);
    ports.limit = { reason: "timeout", errorMessage: "two hours" };
    expect(await ports.go()).toEqual({ reason: "timeout", errorMessage: "two hours" });
    expect(ports.events.at(-1)).toMatchObject({ type: "agent_end", reason: "timeout" });
  });
});
