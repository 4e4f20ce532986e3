import { describe, expect, it } from "vitest";
import type { Approval } from "../../../../src/agent/approval.ts";
import { noUsage } from "../../../../src/agent/messages.ts";
import { phaseTotals, timelineOf } from "../../../../src/web/page/model/timeline.ts";
import { Transcript } from "../../../../src/web/page/model/transcript.ts";
import { answer, Items } from "./items.ts";

const start = (toolCallId: string) => ({
  type: "tool_execution_start" as const,
  toolCallId,
  toolName: "bash",
  summary: "x",
});
const end = (toolCallId: string, durationMs: number) => ({
  ...start(toolCallId),
  type: "tool_execution_end" as const,
  isError: false,
  durationMs,
});
const asking = (requestedAt: number) =>
  ({ id: "ap", toolCallId: "1.2", toolName: "bash", summary: "x", requestedAt }) as Approval;

/** Two calls side by side: one waits for a lock, the other for a person. */
function twoCalls(): Transcript {
  const items = new Items();
  const transcript = new Transcript();
  const calls = [
    { name: "bash", arguments: {} },
    { name: "bash", arguments: {} },
  ];
  transcript.take(items.event({ type: "turn_start", turn: 1 }, undefined, 1_000));
  transcript.take({
    ...items.message("a1", answer("", calls)),
    event: { ...items.message("a1", answer("")).event, at: 2_000 },
  });
  transcript.take(items.event(start("1.1"), undefined, 2_000));
  transcript.take(items.event(start("1.2"), undefined, 2_000));
  transcript.take(items.event({ type: "approval_requested", approval: asking(2_100) }, undefined, 2_100));
  transcript.take(items.event(end("1.1", 400), undefined, 3_000));
  transcript.take(
    items.event(
      { type: "approval_resolved", approvalId: "ap", toolCallId: "1.2", decision: "allow", by: "ann" },
      undefined,
      5_100,
    ),
  );
  return transcript;
}

describe("timelineOf", () => {
  it("divides each call in its phases: the run is the last durationMs before the end", () => {
    const items = new Items();
    items.seq = 100;
    const transcript = twoCalls();
    transcript.take(items.event(end("1.2", 1_000), undefined, 6_300));
    transcript.take(items.event({ type: "turn_end", turn: 1, usage: noUsage() }, undefined, 6_300));
    const [turn] = timelineOf(transcript, 9_999_999);
    expect(turn).toMatchObject({ turn: 1, from: 1_000, to: 6_300 });
    expect(turn!.bars.map(({ name }) => name)).toEqual(["model", "bash", "bash"]);
    expect(turn!.bars[0]!.phases).toEqual([{ kind: "model", from: 1_000, to: 2_000 }]);
    expect(turn!.bars[1]!.phases).toEqual([
      { kind: "queued", from: 2_000, to: 2_600 },
      { kind: "run", from: 2_600, to: 3_000 },
    ]);
    expect(turn!.bars[2]!.phases).toEqual([
      { kind: "queued", from: 2_000, to: 2_100 },
      { kind: "asks", from: 2_100, to: 5_100 },
      { kind: "queued", from: 5_100, to: 5_300 },
      { kind: "run", from: 5_300, to: 6_300 },
    ]);
    expect(phaseTotals(turn!.bars[2]!)).toEqual({ model: 0, queued: 300, asks: 3_000, run: 1_000 });
  });

  it("shows no run of a call while another of its answer waits for a person: nothing has begun by then", () => {
    const items = new Items();
    const transcript = new Transcript();
    transcript.take(items.event({ type: "turn_start", turn: 1 }, undefined, 1_000));
    for (const id of ["1.1", "1.2"]) transcript.take(items.event(start(id), undefined, 2_000));
    transcript.take(items.event({ type: "approval_requested", approval: asking(2_100) }, undefined, 2_100));
    const announced = new Map([
      ["1.1", 2_000],
      ["1.2", 2_000],
    ]);
    const first = (now: number) => timelineOf(transcript, now, announced)[0]!.bars[1]!;
    expect(first(9_000)).toMatchObject({ sign: "held", phases: [{ kind: "queued", from: 2_000, to: 9_000 }] });
    const resolved = { type: "approval_resolved", approvalId: "ap", toolCallId: "1.2", decision: "allow" } as const;
    transcript.take(items.event({ ...resolved, by: "ann" }, undefined, 10_000));
    expect(first(11_000)).toMatchObject({
      sign: "running",
      phases: [
        { kind: "queued", from: 2_000, to: 10_000 },
        { kind: "run", from: 10_000, to: 11_000 },
      ],
    });
  });

  it("lets what is not over reach to now; a call runs from when the state says so", () => {
    const transcript = twoCalls();
    const last = (running?: Map<string, number>) => timelineOf(transcript, 7_000, running)[0]!.bars[2]!.phases.at(-1);
    expect(last()).toEqual({ kind: "queued", from: 5_100, to: 7_000 });
    expect(last(new Map([["1.2", 5_500]]))).toEqual({ kind: "run", from: 5_500, to: 7_000 });
  });
});
