import { describe, expect, it } from "vitest";
import { addUsage, type Message, noUsage, textOf } from "../../src/agent/messages.ts";
import { ModelError, type ModelRequest } from "../../src/providers/contract.ts";
import { bash, fakeModel, messageOf, TestSessions } from "../support/sessions.ts";

const small = { provider: "fake", model: "fake", contextWindow: 8_000 };
/** 30 KB of output: more than the window holds three times over. */
const large = bash("head -c 30000 /dev/zero | tr '\\\\0' x | fold -w 99");
const isSummary = ({ tools, messages, systemPrompt }: ModelRequest) =>
  messages.length === 1 && tools.length === 0 && /hand-over notes/.test(systemPrompt);
/** An answer without usage, as some endpoints give it. */
const uncounted = (content: Parameters<typeof messageOf>[0]) => ({
  ...messageOf(content),
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
});
const texts = (messages: Message[]) => messages.map(({ content }) => textOf(content));

describe("compaction (H4)", () => {
  it("comes before the next request, in the same run, and the model goes on with the notes (case 58)", async () => {
    let answered = 0;
    const model = fakeModel((_turn, request) => {
      if (isSummary(request)) return "NOTES OF THE PAST";
      answered += 1;
      return answered <= 3 ? uncounted(["again", large]) : uncounted(["done"]);
    });
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("remember the goal", { model: small });
    const events = await sessions.untilState(id, "idle");
    const ends = events.filter(({ type }) => type === "compaction_end");
    expect(ends.length).toBeGreaterThan(0);
    expect(ends[0]).toMatchObject({ tokensBefore: expect.any(Number), tokensAfter: expect.any(Number) });
    // What the notes cost is part of what the session cost.
    const noted = ends.flatMap((end) => (end.type === "compaction_end" && end.usage ? [end.usage] : []));
    expect(noted).toHaveLength(ends.length);
    const used = noted.reduce(addUsage, noUsage());
    expect(used.output).toBeGreaterThan(0);
    expect((await sessions.client.state(id)).usage).toEqual(used);
    expect((await sessions.client.account(id)).usage).toEqual(used);
    const last = model.requests.at(-1)!.messages;
    expect(texts(last)[0]).toContain("NOTES OF THE PAST");
    expect(last.length).toBeLessThan(5);
    // The transcript itself is whole.
    expect((await sessions.client.account(id)).messages).toHaveLength(8);
    const summaryRequest = model.requests.find(isSummary)!;
    expect(textOf(summaryRequest.messages[0]!.content)).toContain("remember the goal");
    // A follow-up after the run was read anew by another worker still starts from the notes.
    await sessions.stopWorker();
    await sessions.startWorker(model);
    await sessions.client.send(id, { id: "next", text: "and now?", delivery: "steer" });
    await sessions.untilState(id, "idle", events.at(-1)!.seq);
    expect(texts(model.requests.at(-1)!.messages)[0]).toContain("NOTES OF THE PAST");
  });

  it("recovers once from an overflow that the endpoint tells, then waits for a person (case 59)", async () => {
    let overflows = 0;
    const model = fakeModel((turn, request) => {
      if (isSummary(request)) return "NOTES";
      if (turn <= 2 && request.messages.length < 5 && overflows === 0) return turn === 1 ? [large] : [large];
      overflows += 1;
      return new ModelError("overflow", "input is larger than the window");
    });
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go");
    const events = await sessions.untilState(id, "blocked");
    expect(events.filter(({ type }) => type === "compaction_start")).toHaveLength(1);
    expect(overflows).toBe(2);
    expect(await sessions.client.state(id)).toMatchObject({
      state: "blocked",
      cause: "input is larger than the window",
    });
  });

  it("never uses a summary that was cut off or failed, and leaves the transcript as it was (case 59)", async () => {
    let summaries = 0;
    let answered = 0;
    const model = fakeModel((_turn, request) => {
      if (isSummary(request)) {
        summaries += 1;
        return messageOf(["half a sum"], "length");
      }
      answered += 1;
      return answered <= 2 ? uncounted([large]) : uncounted(["done"]);
    });
    const sessions = await TestSessions.start(model);
    const id = await sessions.run("go", { model: { ...small, contextWindow: 10_500 } });
    const events = await sessions.untilState(id, "idle");
    const failed = events.filter((event) => event.type === "compaction_end" && event.errorMessage);
    expect(failed).toHaveLength(1);
    expect(summaries).toBe(3);
    const last = model.requests.at(-1)!.messages;
    expect(last).toHaveLength(5);
    expect(texts(last).join("\n")).not.toContain("half a sum");
  });
});
