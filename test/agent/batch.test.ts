// Pure unit tests: no worker, no server.
import { describe, expect, it } from "vitest";
import type { PreparedCall } from "../../src/agent/prepared-call.ts";
import { assistant, call, FakePorts, gate, limits, toolResult } from "./support.ts";

const three = () => assistant([call("a"), call("b"), call("c")]);

describe("a batch", () => {
  it("starts all in the preflight phase, ends as they finish, results in source order (G2, G3)", async () => {
    const ports = new FakePorts([three()]);
    const first = gate();
    const second = gate();
    const emit = ports.emit;
    ports.emit = (event) => {
      emit(event);
      if (event.type === "tool_execution_end" && event.toolCallId === "1.3") second.open();
      if (event.type === "tool_execution_end" && event.toolCallId === "1.2") first.open();
    };
    ports.run = async (callId) => {
      if (callId === "1.1") await first.opened;
      if (callId === "1.2") await second.opened;
      return { text: callId };
    };
    await ports.go();
    expect(ports.types("tool_execution")).toEqual([
      "tool_execution_start 1.1",
      "tool_execution_start 1.2",
      "tool_execution_start 1.3",
      "tool_execution_end 1.3",
      "tool_execution_end 1.2",
      "tool_execution_end 1.1",
    ]);
    expect(ports.results).toEqual(["1.1", "1.2", "1.3"]);
  });

  it("executes nothing before every preflight and approval is settled", async () => {
    const ports = new FakePorts([three()]);
    ports.prepared = (callId) => (callId === "1.2" ? { kind: "ask" } : {});
    ports.approve = async (_callId, prepared) => {
      expect(ports.log.filter((line) => line.startsWith("start"))).toEqual([]);
      return { kind: "allowed", prepared };
    };
    await ports.go();
    expect(ports.results).toHaveLength(3);
  });

  it("asks for all approvals together and takes the answers in any order", async () => {
    const ports = new FakePorts([three()]);
    ports.prepared = () => ({ kind: "ask" });
    const open: string[] = [];
    const all = gate();
    ports.approve = async (callId, prepared) => {
      open.push(callId);
      if (open.length === 3) all.open();
      await all.opened;
      return callId === "1.2" ? { kind: "denied", reason: "too risky" } : { kind: "allowed", prepared };
    };
    await ports.go();
    expect(ports.results).toEqual(["ok", "A person denied this call: too risky", "ok"]);
    expect(ports.log.filter((line) => line.startsWith("start"))).toEqual(["start 1.1", "start 1.3"]);
  });

  it("runs the whole batch one after another when one call is sequential", async () => {
    const ports = new FakePorts([three()]);
    ports.prepared = (callId) => (callId === "1.2" ? { executionMode: "sequential" } : {});
    await ports.go();
    const runs = ports.log.filter((line) => /^(start|end)/.test(line));
    expect(runs).toEqual(["start 1.1", "end 1.1", "start 1.2", "end 1.2", "start 1.3", "end 1.3"]);
  });

  it("runs calls of one file in source order and others beside them (G4)", async () => {
    const ports = new FakePorts([three()]);
    const third = gate();
    ports.prepared = (callId) => ({ lockKeys: callId === "1.3" ? ["/other"] : ["/file"] });
    ports.run = async (callId) => {
      if (callId === "1.1") await third.opened;
      if (callId === "1.3") third.open();
      return {};
    };
    await ports.go();
    const at = (line: string) => ports.log.indexOf(line);
    expect(at("end 1.3")).toBeLessThan(at("end 1.1"));
    expect(at("end 1.1")).toBeLessThan(at("start 1.2"));
  });

  it("never runs more calls at once than the limit", async () => {
    const ports = new FakePorts([assistant(Array.from({ length: 20 }, (_, at) => call("a", { at })))]);
    let running = 0;
    let most = 0;
    ports.run = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      return {};
    };
    await ports.go(undefined, { ...limits, parallelCalls: 4 });
    expect(most).toBe(4);
    expect(ports.results).toHaveLength(20);
  });

  it("answers calls beyond the limit of one answer without running them (B40)", async () => {
    const ports = new FakePorts([assistant(Array.from({ length: 5 }, (_, at) => call("a", { at })))]);
    await ports.go(undefined, { ...limits, callsPerAnswer: 3 });
    expect(ports.results.map((text) => text === "ok")).toEqual([true, true, true, false, false]);
    expect(ports.results[4]).toMatch(/too many calls/);
  });

  it("stops the run only if every result says so (G6)", async () => {
    const all = new FakePorts([three()]);
    all.run = async () => ({ terminate: true });
    expect(await all.go()).toEqual({ reason: "terminated" });
    const some = new FakePorts([three()]);
    some.run = async (callId) => ({ terminate: callId !== "1.2" });
    expect(await some.go()).toEqual({ reason: "answered" });
    const settled = new FakePorts([three()]);
    settled.run = async () => ({ terminate: true });
    settled.prepared = (callId) => (callId === "1.1" ? { kind: "ask" } : {});
    settled.approve = async () => ({ kind: "denied" });
    expect(await settled.go()).toEqual({ reason: "answered" });
  });

  it("mixes immediate failures with calls that run", async () => {
    const ports = new FakePorts([three()]);
    ports.prepared = (callId): Partial<PreparedCall> =>
      callId === "1.1" ? { kind: "immediate", result: { id: "p1", message: toolResult("no such tool", true) } } : {};
    await ports.go();
    expect(ports.results).toEqual(["no such tool", "ok", "ok"]);
    expect(ports.types("tool_execution_end")[0]).toBe("tool_execution_end 1.1");
  });

  describe("always ends with one result per call (G7)", () => {
    it("when aborted while an approval waits", async () => {
      const ports = new FakePorts([three()]);
      ports.prepared = (callId) => (callId === "1.1" ? {} : { kind: "ask" });
      ports.approve = async () => {
        ports.isAborted = true;
        return { kind: "aborted" };
      };
      expect(await ports.go()).toEqual({ reason: "aborted" });
      expect(ports.results).toHaveLength(3);
      expect(ports.log).not.toContain("start 1.1");
      expect(ports.log).not.toContain("model 2");
    });

    it("when aborted while calls run: what ran keeps its result, what did not start is not started", async () => {
      const ports = new FakePorts([three()]);
      ports.prepared = () => ({ executionMode: "sequential" });
      ports.run = async () => {
        ports.isAborted = true;
        return { text: "kept" };
      };
      await ports.go();
      expect(ports.results[0]).toBe("kept");
      expect(ports.results.slice(1).every((text) => /stopped this turn/.test(text))).toBe(true);
    });

    it.each(["prepareToolCalls", "executeToolCall", "awaitApprovals"] as const)("when %s breaks", async (port) => {
      const ports = new FakePorts([three()]);
      ports.prepared = () => ({ kind: "ask" });
      ports[port] = async () => {
        throw new Error("broken port");
      };
      await ports.go();
      expect(ports.results).toHaveLength(3);
      expect(ports.results.every((text) => text.includes("broken port"))).toBe(true);
    });
  });
});
