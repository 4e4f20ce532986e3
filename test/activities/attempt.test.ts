import { expect, it } from "vitest";
import { whileHere } from "../../activities/attempt.ts";
import { WorkerShutdown } from "../../activities/services.ts";
import { workerGoneFailure } from "../../src/protocol/activities.ts";

const never = new Promise<string>(() => undefined);

it("leaves a reading behind when this worker goes: it may have asked a worker, and there is no other yet (F08)", async () => {
  const stop = new AbortController();
  const reading = whileHere(stop.signal, never);
  stop.abort(new WorkerShutdown());
  await expect(reading).rejects.toMatchObject({ type: workerGoneFailure });
  await expect(whileHere(stop.signal, never)).rejects.toMatchObject({ type: workerGoneFailure });
});

it("reads on when a person stops the turn", async () => {
  const stop = new AbortController();
  const text = Promise.withResolvers<string>();
  const reading = whileHere(stop.signal, text.promise);
  stop.abort(new Error("a person stopped this turn"));
  text.resolve("read");
  expect(await reading).toBe("read");
});
