import { expect, it } from "vitest";
import type { FollowItem } from "../../../src/client/contract.ts";
import { SessionLog } from "../../../src/web/server/streams/session-log.ts";
import { ItemMaker } from "../../support/fake-session-client.ts";

const names = (texts: string[]): string[] => texts.map((text) => /event: (.*)/.exec(text)![1]!);

function logOf(items: (FollowItem | undefined)[]): SessionLog {
  const log = new SessionLog();
  for (const item of items) if (item) log.take(item);
  return log;
}

it("tells a late reader the state that holds, and no more what is over", () => {
  const make = new ItemMaker();
  const retrying: FollowItem = { kind: "retrying", what: "askModel", message: "429", attempt: 2 };
  const log = logOf([{ kind: "begin", first: 1 }, make.user("go"), make.state("running"), retrying]);
  expect(names(log.snapshot())).toEqual(["begin", "event", "state", "retrying"]);
  log.take(make.event({ type: "agent_end", reason: "answered" }));
  log.take(make.state("idle"));
  expect(names(log.snapshot())).toEqual(["begin", "event", "event", "state"]);
  expect(log.snapshot().join("")).not.toContain('"state":"running"');
  log.take({ kind: "closed", state: "idle" });
  expect(log.take({ kind: "closed", state: "idle" })).toBeUndefined();
  expect(names(log.snapshot(1))).toEqual(["event", "state", "closed"]);
});

it("tells who saw events before a reset all anew: their numbers were given again", () => {
  const make = new ItemMaker();
  const log = logOf([{ kind: "begin", first: 1 }, make.user("a"), make.user("b"), make.user("c"), make.state("idle")]);
  log.take({ kind: "resync", why: "the session was reset to an earlier point" });
  const again = new ItemMaker();
  for (const text of ["a", "other", "other", "more"]) log.take(again.user(text));
  log.take(again.state("running"));
  expect(names(log.snapshot(3)).slice(0, 3)).toEqual(["resync", "begin", "event"]);
  expect(log.last).toBe(4);
});

it("tells no event twice", () => {
  const make = new ItemMaker();
  const first = make.user("a");
  const log = logOf([{ kind: "begin", first: 1 }, first]);
  expect(log.take(first)).toBeUndefined();
});
