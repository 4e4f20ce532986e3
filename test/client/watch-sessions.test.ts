import { describe, expect, it, onTestFinished } from "vitest";
import type { Overview } from "../../src/client/contract.ts";
import { bash, fakeModel, TestSessions } from "../support/sessions.ts";

/** Overviews of a home's sessions as they come; `until` waits for one that fits. */
function watching(sessions: TestSessions) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const told = sessions.client.watch(stop.signal)[Symbol.asyncIterator]();
  const own = ({ sessions: all }: Overview) => all.find(({ id }) => id === sessions.lastId);
  const until = async (fits: (overview: Overview) => boolean): Promise<Overview> => {
    for (;;) {
      const { value, done } = await told.next();
      if (done) throw new Error("the watch ended");
      if (fits(value)) return value;
    }
  };
  return { until, own, stop };
}

const asks = fakeModel((turn) => (turn === 1 ? [bash("echo a > a"), bash("echo b > b")] : "done"));

describe("an overview of all sessions", () => {
  it("tells what waits, what is decided and the totals, oldest approval first", async () => {
    const sessions = await TestSessions.start(asks);
    const { until, own } = watching(sessions);
    const id = await sessions.run("go", { approval: "ask" });
    const waits = await until(({ waiting }) => waiting.filter(({ sessionId }) => sessionId === id).length === 2);
    expect(own(waits)).toMatchObject({ state: "waiting", waiting: 2, title: "go", repository: "workspace" });
    const mine = waits.waiting.filter(({ sessionId }) => sessionId === id);
    expect(mine.map(({ approval }) => approval.summary)).toEqual(["echo a > a", "echo b > b"]);
    for (const { approval } of mine) {
      await sessions.client.decide(id, { approvalId: approval.id, decision: "allow", by: "me", via: "page" });
    }
    const done = await until((overview) => own(overview)?.state === "idle");
    expect(done.waiting.filter(({ sessionId }) => sessionId === id)).toEqual([]);
    expect(own(done)!.usage).toMatchObject({ input: 20, output: 10 });
  });

  it("keeps what waited while the worker is away, and tells the session as it is", async () => {
    const sessions = await TestSessions.start(asks);
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const { until } = watching(sessions);
    const mine = ({ waiting }: Overview) => waiting.filter(({ sessionId }) => sessionId === id);
    await until((overview) => mine(overview).length === 2);
    await sessions.stopWorker();
    await sessions.startWorker(asks);
    await sessions.client.decide(id, {
      approvalId: (await sessions.client.state(id)).pending[0]!.id,
      decision: "deny",
      by: "me",
    });
    await until((overview) => mine(overview).length === 1);
  });

  it("is not held up by a session whose worker answers nobody", async () => {
    const away = await TestSessions.start(asks);
    const deaf = await away.run("nobody answers for me", { approval: "ask" });
    await away.untilState(deaf, "waiting");
    await away.stopWorker();
    const sessions = await TestSessions.start(asks);
    const id = await sessions.run("go", { approval: "ask" });
    await sessions.untilState(id, "waiting");
    const began = performance.now();
    const { until } = watching(sessions);
    const all = await until(({ waiting }) => waiting.some(({ sessionId }) => sessionId === id));
    expect(all.sessions.find((summary) => summary.id === deaf)).toMatchObject({ waiting: 2 });
    // A question to a worker that is away is given up after 5 s.
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});
