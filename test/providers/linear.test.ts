// A call of 1 MB in pieces of 20 bytes costs four times one of 250 KB: work is counted, no clock is asked (D1, D3).
import { afterEach, expect, it, vi } from "vitest";
import { toolCallsOf } from "../../src/agent/messages.ts";
import { LiveText as ShownText } from "../../src/protocol/live-text.ts";
import { AnswerAssembly } from "../../src/providers/openai-completions/assemble.ts";
import { JsonScanner } from "../../src/providers/openai-completions/json-scanner.ts";
import { LiveText } from "../../src/worker/live-source.ts";
import { chunk } from "../support/model-server.ts";
import { of, piece } from "./assembling.ts";

/** Not spies: they would keep each of 150,000 calls. */
let restore = () => {};
afterEach(() => {
  restore();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type PieceOf = (at: number, args: string) => ReturnType<typeof piece>;

/** Characters that were looked at, joined, parsed or sent for the preview while a call of this size came. */
function workOf(size: number, pieceOf: PieceOf): number {
  vi.useFakeTimers();
  let work = 0;
  const scan = JsonScanner.prototype.add;
  const { join } = Array.prototype;
  const { parse } = JSON;
  JsonScanner.prototype.add = function (text) {
    work += text.length;
    scan.call(this, text);
  };
  Array.prototype.join = function (by) {
    const text = join.call(this, by);
    work += text.length;
    return text;
  };
  JSON.parse = (text, reviver) => {
    work += text.length;
    return parse(text, reviver);
  };
  restore = () => {
    JsonScanner.prototype.add = scan;
    Array.prototype.join = join;
    JSON.parse = parse;
  };
  const shown = new ShownText();
  const preview = new LiveText({ sessionId: "s", source: "model:1", attempt: 1 }, (frame) => {
    for (const { tail } of frame.blocks) work += tail.length;
    for (const { delta } of shown.take(frame)) work += delta.length;
  });
  const assembly = new AnswerAssembly();
  const text = JSON.stringify({ content: "x".repeat(size) });
  for (let at = 0; at < text.length; at += 20) {
    const raw = chunk({ tool_calls: [pieceOf(at, text.slice(at, at + 20))] });
    for (const delta of assembly.add(raw)) preview.delta(delta);
    // About 100 pieces come between two frames.
    if (at % 2_000 === 0) vi.advanceTimersByTime(50);
  }
  preview.done();
  assembly.add(chunk({}, "tool_calls"));
  expect(toolCallsOf(assembly.finish(of))[0]?.arguments.content).toHaveLength(size);
  restore();
  return work;
}

it.each<[string, PieceOf]>([
  ["id and name once", (at, args) => piece([0, at === 0 ? { id: "a", name: "write", args } : { args }])],
  ["id and name on every piece", (_at, args) => piece([0, { id: "a", name: "write", args }])],
  ["without an index", (at, args) => piece([undefined, at === 0 ? { id: "a", name: "write", args } : { args }])],
])("pieces with %s", (_name, pieceOf) => {
  const small = workOf(250_000, pieceOf);
  const large = workOf(1_000_000, pieceOf);
  expect(small).toBeGreaterThan(250_000);
  expect(large / small).toBeLessThan(4.2);
});

it("a host that goes on after the end of a call costs no more", () => {
  const join = vi.spyOn(Array.prototype, "join");
  const assembly = new AnswerAssembly();
  const add = (args: string, name?: string) =>
    assembly.add(chunk({ tool_calls: [piece([0, { id: "a", ...(name ? { name } : {}), args }])] }));
  add('{"path":', "ls");
  add('"."}');
  for (let at = 0; at < 5_000; at++) add(" {} ");
  expect(join.mock.calls.length).toBeLessThan(20);
});
