import { expect, it } from "vitest";
import type { EventItem, FollowItem } from "../../src/client/contract.ts";
import { bash, fakeModel, TestSessions } from "../support/sessions.ts";

const isEvent = (item: FollowItem): item is EventItem => item.kind === "event";
const numbers = (items: EventItem[]): number[] => items.map(({ event }) => event.seq);

it("begins with the newest run, and reads the runs before it backwards without gap or double", async () => {
  const model = fakeModel((turn) => (turn <= 6 ? [bash(`echo ${turn}`)] : "done"));
  const sessions = await TestSessions.start(model);
  const id = await sessions.run("go", {}, { continueAsNewEvents: 20 });
  await sessions.untilState(id, "idle");
  const stop = new AbortController();
  const items: FollowItem[] = [];
  for await (const item of sessions.client.follow(id, { newestRun: true, signal: stop.signal })) {
    items.push(item);
    if (item.kind === "event" && item.event.type === "state_changed" && item.event.state === "idle") break;
  }
  const [begin] = items;
  if (begin?.kind !== "begin") throw new Error(`the first item was ${begin?.kind}`);
  expect(begin.first).toBeGreaterThan(1);
  let told = items.filter(isEvent);
  expect(told[0]!.event.seq).toBe(begin.first);
  for (;;) {
    const earlier = await sessions.client.eventsBefore(id, told[0]!.event.seq);
    if (earlier.length === 0) break;
    told = [...earlier, ...told];
  }
  expect(numbers(told)).toEqual(Array.from({ length: told.length }, (_, at) => at + 1));
  const texts = told.flatMap(({ event, message }) => (event.type === "message_end" && !message ? [event] : []));
  expect(texts).toEqual([]);
});

it("looks at a session at rest only when it is woken, where somebody else watches the list", async () => {
  const sessions = await TestSessions.start(fakeModel((turn) => `answer ${turn}`));
  const id = await sessions.run("go");
  await sessions.untilState(id, "idle");
  await sessions.stopWorker();
  const stop = new AbortController();
  let wake: () => void = () => undefined;
  const items: FollowItem[] = [];
  const told = Promise.withResolvers<void>();
  const again = Promise.withResolvers<void>();
  await sessions.startWorker(fakeModel((turn) => `answer ${turn}`));
  const following = (async () => {
    for await (const item of sessions.client.follow(id, {
      newestRun: true,
      onWake: (one) => {
        wake = one;
      },
      signal: stop.signal,
    })) {
      items.push(item);
      if (item.kind === "state") told.resolve();
      if (item.kind === "event" && item.event.type === "agent_end" && item.event.seq > 10) again.resolve();
    }
  })();
  await told.promise;
  await sessions.client.send(id, { id: "second", text: "more", delivery: "steer" });
  await sessions.untilState(id, "idle", (items.filter(isEvent).at(-1)?.event.seq ?? 0) + 1);
  wake();
  await again.promise;
  stop.abort();
  await following;
});
