// Probes B39 and B40, and the cases about tools, through the real workflow.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AssistantMessage } from "../../src/agent/messages.ts";
import { ModelError } from "../../src/providers/contract.ts";
import { bash, fakeModel, messageOf, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

const settled = new Set(["idle", "failed", "blocked", "stopped"]);

/** Runs until the session rests; its last state and how often the model was asked. */
async function runToRest(model: ReturnType<typeof fakeModel>, prepare: (sessions: TestSessions) => void = () => {}) {
  const sessions = await TestSessions.start(model);
  prepare(sessions);
  const id = await sessions.run("go");
  const { events } = await sessions.until(
    id,
    (item) => item.kind === "event" && item.event.type === "state_changed" && settled.has(item.event.state),
  );
  const state = await sessions.client.state(id);
  return {
    sessions,
    id,
    events,
    state,
    asked: model.requests.length,
    results: resultTexts(model.requests.at(-1)!.messages),
  };
}

describe("an answer that is none ends in a state with a name, and is not asked for again and again (B39)", () => {
  const thinking: AssistantMessage = { ...messageOf([]), content: [{ type: "thinking", thinking: "hm" }] };
  test.each<[string, () => AssistantMessage | Error, string, string]>([
    ["no content", () => messageOf([]), "idle", "answered"],
    ["no content, but a finish reason of calls", () => messageOf([], "toolUse"), "idle", "answered"],
    ["only thinking", () => thinking, "idle", "answered"],
    ["a refusal in words", () => messageOf(["I will not do that."]), "idle", "answered"],
    ["a content filter", () => new ModelError("contentFilter", "filtered"), "failed", "failed"],
    ["an unknown stop reason", () => new ModelError("invalid", 'unknown finish reason "odd"'), "failed", "failed"],
  ])("%s", async (_name, answer, state, reason) => {
    const rest = await runToRest(fakeModel(answer));
    expect(rest.state).toMatchObject({ state, lastEndReason: reason });
    expect(rest.asked).toBe(1);
    if (state === "failed")
      expect(JSON.stringify(rest.events.filter(({ type }) => type === "agent_end"))).toMatch(/filter|odd/);
  });
});

describe("a flood of calls (B40)", () => {
  test("500 in one answer: up to the limit they run, the rest get error results, each call its own", {
    timeout: 90_000,
  }, async () => {
    const { limits } = await import("../../src/protocol/limits.ts");
    const calls = Array.from({ length: 500 }, (_, at) => toolCall("read", { path: `f${at % 5}` }));
    const { results, asked, state, sessions, id } = await runToRest(
      fakeModel((turn) => (turn === 1 ? calls : "done")),
      ({ workspace }) => {
        for (let at = 0; at < 5; at++) writeFileSync(join(workspace, `f${at}`), `text ${at}\n`);
      },
    );
    expect([state.state, asked]).toEqual(["idle", 2]);
    expect(results).toHaveLength(500);
    const fine = results.flatMap((text, at) => (text.includes(`text ${at % 5}`) ? [at] : []));
    expect(fine).toEqual(Array.from({ length: limits.callsPerAnswer }, (_, at) => at));
    for (const text of results.slice(limits.callsPerAnswer)) expect(text).toMatch(/too many calls/);
    const { messages } = await sessions.client.account(id);
    const answered = messages.flatMap(({ message }) => (message.role === "toolResult" ? [message] : []));
    expect(answered.map(({ toolCallId }) => toolCallId)).toEqual(calls.map((call) => call.id));
    expect(answered.at(-1)).toMatchObject({ isError: true });
  });

  test("the same failing call, turn after turn: stopped with a reason after a stated count", {
    timeout: 60_000,
  }, async () => {
    const { state, asked } = await runToRest(fakeModel(() => [toolCall("read", { path: "missing" })]));
    expect(state).toMatchObject({ state: "stopped", lastEndReason: "repeated" });
    expect(asked).toBe(6);
  });
});

describe("arguments as models send them, through the workflow", () => {
  test("what can be understood is done (cases 1, 4, 7, 49)", async () => {
    const { results, sessions } = await runToRest(
      fakeModel((turn) =>
        turn === 1
          ? [
              toolCall("edit", { path: "a.txt", edits: '[{"oldText":"x","newText":"y"}]' }),
              toolCall("edit", { path: "b.txt", edits: [{ oldText: "x", newText: "y", reason: "tidy" }] }),
              toolCall("write", { path: "p.json", content: { name: "demo" } }),
              toolCall("bash", { command: "echo five", timeout: "5" }),
            ]
          : "done",
      ),
      ({ workspace }) => {
        for (const name of ["a.txt", "b.txt"]) writeFileSync(join(workspace, name), "x");
      },
    );
    const read = (name: string) => readFileSync(join(sessions.workspace, name), "utf8");
    expect([read("a.txt"), read("b.txt")]).toEqual(["y", "y"]);
    expect(JSON.parse(read("p.json"))).toEqual({ name: "demo" });
    expect(results[3]).toBe("five");
  });

  test("what cannot is an error that names the place; nothing runs, the run goes on (cases 1, 5, 8, 49)", async () => {
    const unreadable = ['["ls"]', '"ls"', "7", "null"].map((raw) => ({
      ...bash("touch ran"),
      argumentsError: { message: "is not one JSON object", raw },
    }));
    const { results, state, sessions } = await runToRest(
      fakeModel((turn) =>
        turn === 1
          ? [
              toolCall("edit", { path: "a.txt", edits: "replace x" }),
              toolCall("write", { path: "big.html" }),
              ...[0, -1, "abc", 1e12].map((timeout) => toolCall("bash", { command: "touch ran", timeout })),
              ...unreadable,
            ]
          : "done",
      ),
      ({ workspace }) => writeFileSync(join(workspace, "a.txt"), "x"),
    );
    expect(state.state).toBe("idle");
    expect(results[0]).toMatch(/edits/);
    expect(results[1]).toMatch(/content/);
    expect(results[1]).toContain("big.html");
    for (const text of results.slice(2, 6)) expect(text).toMatch(/timeout/);
    for (const [at, text] of results.slice(6).entries()) expect(text).toContain(unreadable[at]!.argumentsError.raw);
    expect(results).toHaveLength(10);
    expect(readFileSync(join(sessions.workspace, "a.txt"), "utf8")).toBe("x");
    for (const name of ["ran", "big.html"]) expect(existsSync(join(sessions.workspace, name))).toBe(false);
  });

  test("a text that only looks like a list arrives byte for byte (case 2)", async () => {
    const text = '[note]: {"a":1}\nsecond line';
    const { sessions } = await runToRest(
      fakeModel((turn) =>
        turn === 1
          ? [toolCall("write", { path: "f", content: text }), toolCall("write", { path: "g", content: "[1]" })]
          : "done",
      ),
    );
    expect(readFileSync(join(sessions.workspace, "f"), "utf8")).toBe(text);
    expect(readFileSync(join(sessions.workspace, "g"), "utf8")).toBe("[1]");
  });
});

describe("invented names of tools (case 53)", () => {
  const names = ["functions.bash", "creating:view", "", "Bash"];
  test("each is answered by the names that exist; nothing runs, the run goes on", async () => {
    const { results, state, sessions } = await runToRest(
      fakeModel((turn) => (turn === 1 ? names.map((name) => toolCall(name, { command: "touch ran" })) : "done")),
    );
    expect(state.state).toBe("idle");
    expect(results).toHaveLength(4);
    for (const text of results) for (const name of ["read", "bash", "edit", "write"]) expect(text).toContain(name);
    expect(existsSync(join(sessions.workspace, "ran"))).toBe(false);
  });

  test("identical misses do not become thirty", async () => {
    const { state, asked } = await runToRest(fakeModel(() => [toolCall("functions.bash", { command: "ls" })]));
    expect(state).toMatchObject({ state: "stopped", lastEndReason: "repeated" });
    expect(asked).toBeLessThanOrEqual(6);
  });
});
