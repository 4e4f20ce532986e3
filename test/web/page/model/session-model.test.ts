import { describe, expect, it } from "vitest";
import type { Approval } from "../../../../src/agent/approval.ts";
import type { SessionState } from "../../../../src/protocol/session.ts";
import type { AnswerRow, CallRow } from "../../../../src/web/page/model/rows.ts";
import { asks, resolutionWords, signOfCall } from "../../../../src/web/page/model/rows.ts";
import { SessionModel } from "../../../../src/web/page/model/session-model.ts";
import { answer, at0, Items, live, result } from "./items.ts";

const approval = (changes: Partial<Approval> = {}): Approval => ({
  id: "ap-1",
  kind: "tool",
  toolCallId: "1.1",
  toolName: "bash",
  summary: "npm publish",
  display: [],
  reason: "not-read-only",
  cwd: "/w",
  requestedAt: at0,
  ...changes,
});

const state = (changes: Partial<SessionState>): SessionState =>
  ({ state: "running", lastEvent: 0, pending: [], queued: [], rules: [], running: [], ...changes }) as SessionState;

const kinds = (model: SessionModel): string[] => model.rows.map(({ kind }) => kind);

describe("SessionModel", () => {
  it("makes rows of events: prompt, answer, call with its result", () => {
    const model = new SessionModel();
    const items = new Items();
    model.take(items.prompt("p1", "mend it"));
    for (const item of items.turn(1, "I look.", "all pass")) model.take(item);
    expect(kinds(model)).toEqual(["prompt", "answer", "call"]);
    const call = model.rows[2] as CallRow;
    expect(call).toMatchObject({ toolCallId: "1.1", turn: 1, ended: { durationMs: 500 } });
    expect(call.call?.arguments).toEqual({ command: "npm test" });
    expect(call.result?.content).toEqual([{ type: "text", text: "all pass" }]);
    expect(signOfCall(call)).toBe("done");
    expect(model.argumentsOf("1.1")?.arguments).toEqual({ command: "npm test" });
    expect(model.transcript.hasPrompt("p1")).toBe(true);
  });

  it("shows what runs once a person changed a call, from the decision on", () => {
    const model = new SessionModel();
    const items = new Items();
    for (const item of items.turn(1, "I look.", "all pass").slice(0, 3)) model.take(item);
    const resolved = { type: "approval_resolved", approvalId: "ap", toolCallId: "1.1", decision: "allow" } as const;
    model.take(items.event({ ...resolved, by: "ann@pc", via: "page", edited: "npm run lint" }));
    const call = model.rows.at(-1) as CallRow;
    expect(call.summary).toBe("npm run lint");
    expect(resolutionWords(call.resolution!)).toBe("allowed with changed arguments by ann@pc on a page");
  });

  it("takes each event once: what a new connection tells again changes nothing", () => {
    const model = new SessionModel();
    const items = new Items();
    const all = [items.prompt("p1", "a"), ...items.turn(1, "b", "c")];
    for (const item of [...all, ...all, ...all.slice(2)]) model.take(item);
    expect(kinds(model)).toEqual(["prompt", "answer", "call"]);
    expect(model.lastSeq).toBe(all.length);
  });

  it("draws a changed row as a new object and leaves the others as they are", () => {
    const model = new SessionModel();
    const items = new Items();
    const all = items.turn(1, "b", "c");
    for (const item of all.slice(0, 3)) model.take(item);
    const [first, before] = model.rows;
    for (const item of all.slice(3)) model.take(item);
    expect(model.rows[0]).toBe(first);
    expect(model.rows[1]).not.toBe(before);
  });

  it("clears at resync and takes lower numbers from then on", () => {
    const model = new SessionModel();
    for (const item of new Items().turn(1, "old", "old")) model.take(item);
    model.take({ kind: "state", state: state({ lastEvent: 6 }) });
    model.take({ kind: "resync", why: "the session was reset" });
    expect(model.rows).toEqual([]);
    expect(model.lastSeq).toBe(0);
    expect(model.isOpen).toBe(false);
    const items = new Items();
    model.take(items.prompt("p9", "anew"));
    model.take({ kind: "state", state: state({ lastEvent: 1, state: "waiting" }) });
    expect(kinds(model)).toEqual(["prompt"]);
    expect(model.current).toBe("waiting");
    expect(model.resync).toBe("the session was reset");
    expect(model.first).toBe(1);
  });

  it("shows live text until its message comes, under the same key", () => {
    const model = new SessionModel();
    const items = new Items();
    model.take(items.event({ type: "turn_start", turn: 1 }));
    model.take(live("model:1", [{ index: 0, kind: "text", offset: 0, tail: "Hel" }]));
    model.take(live("model:1", [{ index: 0, kind: "text", offset: 3, tail: "lo" }]));
    expect(model.liveAnswer).toMatchObject({ turn: 1, live: [{ kind: "text", text: "Hello" }] });
    const key = model.liveAnswer!.key;
    model.take(items.message("a1", answer("Hello")));
    expect(model.liveAnswer).toBeUndefined();
    expect(model.rows.map((row) => row.key)).toEqual([key]);
    // A frame that comes late is void.
    model.take(live("model:1", [{ index: 0, kind: "text", offset: 0, tail: "Hello" }]));
    expect(model.liveAnswer).toBeUndefined();
  });

  it("has one key for each answer of a turn that was tried again", () => {
    const model = new SessionModel();
    const items = new Items();
    for (const id of ["a1", "a2"]) {
      model.take(items.event({ type: "turn_start", turn: 1 }));
      model.take(items.message(id, answer(id)));
    }
    expect(new Set(model.rows.map(({ key }) => key)).size).toBe(2);
    expect((model.rows[1] as AnswerRow).message?.content[0]).toMatchObject({ text: "a2" });
  });

  it("shows output as it grows, also when it came before its call, and drops it for the result", () => {
    const model = new SessionModel();
    const items = new Items();
    model.take(live("1.1", [{ index: 0, kind: "output", offset: 0, tail: "line 1" }]));
    model.take(items.event({ type: "turn_start", turn: 1 }));
    model.take(items.event({ type: "tool_execution_start", toolCallId: "1.1", toolName: "bash", summary: "x" }));
    expect((model.rows[0] as CallRow).output).toBe("line 1");
    model.take(live("1.1", [{ index: 0, kind: "output", offset: 0, tail: "line 1\nline 2" }]));
    expect((model.rows[0] as CallRow).output).toBe("line 1\nline 2");
    model.take(items.message("r1", result("bash", "all"), "1.1"));
    expect((model.rows[0] as CallRow).output).toBeUndefined();
    model.take(live("1.1", [{ index: 0, kind: "output", offset: 0, tail: "late" }]));
    expect((model.rows[0] as CallRow).output).toBeUndefined();
  });

  it("knows what waits from the newer of events and state", () => {
    const model = new SessionModel();
    const items = new Items();
    const one = approval();
    model.take(items.event({ type: "turn_start", turn: 1 }));
    model.take(items.event({ type: "tool_execution_start", toolCallId: "1.1", toolName: "bash", summary: "x" }));
    model.take(items.event({ type: "approval_requested", approval: one }));
    expect(model.pending).toEqual([one]);
    expect(asks(model.rows[0] as CallRow)).toBe(true);
    model.take({ kind: "state", state: state({ lastEvent: 3, state: "waiting", pending: [one] }) });
    model.take(
      items.event({ type: "approval_resolved", approvalId: one.id, toolCallId: "1.1", decision: "deny", by: "ann@pc" }),
    );
    expect(model.pending).toEqual([]);
    // An older read does not bring it back.
    model.take({ kind: "state", state: state({ lastEvent: 3, state: "waiting", pending: [one] }) });
    expect(model.pending).toEqual([]);
    expect(signOfCall(model.rows[0] as CallRow)).toBe("none");
  });

  it("has a card for what waits though its events are gone", () => {
    const model = new SessionModel();
    model.take({ kind: "state", state: state({ lastEvent: 3, pending: [approval()] }) });
    expect(model.pendingWithoutRow).toHaveLength(1);
    expect(model.pending).toHaveLength(1);
  });

  it("puts earlier runs in front", () => {
    const items = new Items();
    const earlier = [items.prompt("p1", "first"), ...items.turn(1, "a", "b")];
    const model = new SessionModel();
    model.take({ kind: "begin", first: items.seq + 1 });
    for (const item of [items.prompt("p2", "second"), ...items.turn(2, "c", "d")]) model.take(item);
    const last = model.lastSeq;
    model.takeEarlier(earlier);
    expect(kinds(model)).toEqual(["prompt", "answer", "call", "prompt", "answer", "call"]);
    expect(model.first).toBe(1);
    expect(model.lastSeq).toBe(last);
    model.takeEarlier(earlier);
    expect(model.rows).toHaveLength(6);
  });

  it("shows the history while no event came", () => {
    const model = new SessionModel();
    model.take({ kind: "offline", offline: true, why: "no worker" });
    expect(model.isFilled).toBe(false);
    model.takeHistory([
      { id: "p1", message: { role: "user", content: [{ type: "text", text: "a" }], timestamp: at0 } },
      { id: "a1", message: answer("b", [{ name: "bash", arguments: { command: "ls" } }]) },
      { id: "r1", message: result("bash", "out") },
    ]);
    expect(model.fromHistory).toBe(true);
    expect(model.isFilled).toBe(true);
    expect(kinds(model)).toEqual(["prompt", "answer", "call"]);
    expect((model.rows[2] as CallRow).result).toBeDefined();
    model.take(new Items().prompt("p1", "a"));
    expect(model.fromHistory).toBe(false);
    expect(kinds(model)).toEqual(["prompt"]);
  });

  it("keeps what the history told until all that happened before is read", () => {
    const model = new SessionModel();
    const items = new Items();
    model.takeHistory([
      { id: "p1", message: { role: "user", content: [{ type: "text", text: "a" }], timestamp: at0 } },
      { id: "a1", message: answer("b") },
    ]);
    expect(model.isFilled).toBe(true);
    model.take({ kind: "begin", first: 1 });
    model.take(items.prompt("p1", "a"));
    expect(kinds(model)).toEqual(["prompt", "answer"]);
    for (const item of items.turn(1, "b", "c")) model.take(item);
    model.take({ kind: "state", state: state({ lastEvent: items.seq }) });
    expect(model.fromHistory).toBe(false);
    expect(kinds(model)).toEqual(["prompt", "answer", "call"]);
  });

  it("forgets a retry when something comes, and the close when the session works again", () => {
    const model = new SessionModel();
    const items = new Items();
    model.take({ kind: "retrying", what: "askModel", message: "429", attempt: 2 });
    expect(model.retrying?.attempt).toBe(2);
    model.take(items.prompt("p1", "a"));
    expect(model.retrying).toBeUndefined();
    model.take({ kind: "closed", state: "idle" });
    expect(model.current).toBe("idle");
    model.take(items.event({ type: "agent_start" }));
    expect(model.current).toBe("running");
  });

  it("adds the usage of turns that the last state did not know", () => {
    const model = new SessionModel();
    const items = new Items();
    model.take({ kind: "state", state: state({ usage: { input: 5, output: 0, cacheRead: 0, cacheWrite: 0 } }) });
    for (const item of items.turn(1, "a", "b")) model.take(item);
    expect(model.usage?.input).toBe(15);
  });

  it("reads thousands of events in one go", () => {
    const model = new SessionModel();
    const items = new Items();
    for (let turn = 1; turn <= 900; turn++) for (const item of items.turn(turn, "text", "out")) model.take(item);
    expect(model.rows).toHaveLength(1_800);
    expect(model.transcript.turns.size).toBe(900);
  });
});
