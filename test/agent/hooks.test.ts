// Pure unit tests: no worker, no server.
import { describe, expect, it } from "vitest";
import {
  type AfterToolCall,
  type BeforeToolCall,
  type BeforeToolCallEvent,
  runAfterHooks,
  runBeforeHooks,
} from "../../src/agent/hooks.ts";
import { assistant, call } from "./support.ts";

const toolCall = call("bash", { command: "ls" });
const event: BeforeToolCallEvent = {
  assistantMessage: assistant([toolCall]),
  toolCall,
  args: { command: "ls" },
  context: { sessionId: "abc234", cwd: "/w", model: "m/m", messages: async () => [] },
};
const signal = new AbortController().signal;
const named = <T>(...runs: T[]) => runs.map((run, at) => ({ from: `hook ${at + 1}`, run }));
const runBefore = (hooks: BeforeToolCall[], recheck = (args: Record<string, unknown>) => args) =>
  runBeforeHooks(named(...hooks), event, signal, recheck);
const runAfter = (...hooks: AfterToolCall[]) =>
  runAfterHooks(
    named(...hooks),
    { ...event, isError: false, result: { content: [{ type: "text", text: "raw" }], details: { a: 1 } } },
    signal,
  );

describe("before-hooks (F2, F4)", () => {
  it("let a call go when none says anything", async () => {
    expect(await runBefore([() => undefined, async () => undefined])).toEqual({
      kind: "go",
      args: event.args,
      changed: false,
      asked: [],
    });
  });

  it("block with a reason, and the rest is not asked", async () => {
    const later: string[] = [];
    const outcome = await runBefore([() => ({ block: true, reason: "no" }), () => void later.push("asked")]);
    expect(outcome).toEqual({ kind: "block", reason: "no" });
    expect(later).toEqual([]);
    expect(await runBefore([() => ({ block: true })])).toMatchObject({
      kind: "block",
      reason: expect.stringMatching(/./),
    });
  });

  it("a block wins over an ask, in whatever order", async () => {
    const ask = () => ({ ask: { reason: "sure?" } });
    expect(await runBefore([ask, () => ({ block: true, reason: "no" })])).toMatchObject({ kind: "block" });
    expect(await runBefore([ask, ask])).toMatchObject({ kind: "go", asked: ["sure?", "sure?"] });
  });

  it("see what earlier ones changed, after it was checked again", async () => {
    const seen: unknown[] = [];
    const outcome = await runBefore(
      [() => ({ args: { command: "ls -l", extra: 1 } }), ({ args }) => void seen.push(args)],
      (args) => ({ command: args.command, checked: true }),
    );
    expect(seen).toEqual([{ command: "ls -l", checked: true }]);
    expect(outcome).toMatchObject({ kind: "go", changed: true, args: { command: "ls -l", checked: true } });
    expect(event.args).toEqual({ command: "ls" });
    await expect(
      runBefore([() => ({ args: { command: 5 } })], () => {
        throw new Error("command: must be text");
      }),
    ).rejects.toThrow("command: must be text");
  });

  it("fail closed: a throwing hook is named and the call is not run", async () => {
    await expect(runBefore([() => Promise.reject(new Error("broken"))])).rejects.toThrow(
      "A hook of hook 1 failed: broken",
    );
    await expect(
      runBefore([
        () => {
          throw "a text";
        },
      ]),
    ).rejects.toThrow("a text");
  });
});

describe("after-hooks (F3, F4)", () => {
  it("replace whole fields and keep the others", async () => {
    expect(await runAfter(() => ({ content: [{ type: "text", text: "patched" }] }))).toEqual({
      content: [{ type: "text", text: "patched" }],
      details: { a: 1 },
      isError: false,
    });
    expect(await runAfter(() => ({ details: { b: 2 }, isError: true, terminate: true }))).toEqual({
      content: [{ type: "text", text: "raw" }],
      details: { b: 2 },
      isError: true,
      terminate: true,
    });
    expect(await runAfter(() => ({ content: undefined }) as never)).toMatchObject({ content: [{ text: "raw" }] });
  });

  it("see each other's changes in load order", async () => {
    const result = await runAfter(
      () => ({ isError: true }),
      ({ isError }) => ({ content: [{ type: "text", text: String(isError) }] }),
    );
    expect(result.content).toEqual([{ type: "text", text: "true" }]);
  });

  it("that throw replace the result by the error, and the next still runs", async () => {
    const result = await runAfter(
      () => {
        throw new Error("leaky redactor");
      },
      ({ result: seen }) => ({ details: seen.isError }),
    );
    expect(result).toEqual({
      content: [{ type: "text", text: "A hook of hook 1 failed: leaky redactor" }],
      isError: true,
      details: true,
    });
  });
});
