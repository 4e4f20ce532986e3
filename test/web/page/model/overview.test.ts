import { describe, expect, it } from "vitest";
import type { Approval } from "../../../../src/agent/approval.ts";
import type { Overview, SessionSummary, WaitingApproval } from "../../../../src/client/contract.ts";
import { keepCards } from "../../../../src/web/page/model/kept-cards.ts";
import { doneSince, visitMark } from "../../../../src/web/page/model/last-visit.ts";
import {
  costText,
  factsOf,
  groupsOf,
  newlyWaiting,
  pageTitle,
  waitingCount,
  waitingText,
} from "../../../../src/web/page/model/overview.ts";
import { at0 } from "./items.ts";

const session = (changes: Partial<SessionSummary>): SessionSummary => ({
  id: "k7f3qd",
  runId: "run-1",
  state: "running",
  title: "mend the tests",
  cwd: "/w",
  repository: "shop",
  model: "openai/x",
  waiting: 0,
  startedAt: at0,
  ...changes,
});
const waits = (id: string, requestedAt = at0): WaitingApproval => ({
  sessionId: "k7f3qd",
  title: "t",
  repository: "r",
  approval: { id, requestedAt } as Approval,
});
const overview = (sessions: SessionSummary[], waiting: WaitingApproval[] = []): Overview => ({ sessions, waiting });

describe("groupsOf", () => {
  const all = [
    session({ id: "a", state: "waiting" }),
    session({ id: "b", state: "blocked", repository: "docs" }),
    session({ id: "c", state: "retrying" }),
    session({ id: "d", state: "idle", title: "other thing" }),
  ];
  const ids = (filter: string) => groupsOf(all, filter).map(({ sessions }) => sessions.map(({ id }) => id).join(""));

  it("groups in the order given", () => {
    expect(groupsOf(all, "").map(({ name }) => name)).toEqual(["Needs you", "Working", "Done"]);
    expect(ids("")).toEqual(["ab", "c", "d"]);
  });

  it("filters by every word of text and repository", () => {
    expect(ids("OTHER")).toEqual(["", "", "d"]);
    expect(ids("docs blocked")).toEqual(["b", "", ""]);
    expect(ids("nothing")).toEqual(["", "", ""]);
  });
});

describe("words of the overview", () => {
  it("counts what waits, blocked sessions too", () => {
    const some = overview([session({ state: "blocked" })], [waits("1"), waits("2")]);
    expect(waitingText(some)).toBe("2 approvals wait, 1 session is blocked");
    expect(waitingCount(some)).toBe(3);
    expect(waitingText(overview([], [waits("1")]))).toBe("1 approval waits");
    expect(waitingText(undefined)).toBe("Nothing waits");
    expect(pageTitle(2, "mend it")).toBe("(2) mend it · tempi");
    expect(pageTitle(0, undefined)).toBe("tempi");
  });

  it("never says $0 for an unknown price", () => {
    const usage = { input: 1_000, output: 200, cacheRead: 0, cacheWrite: 0 };
    expect(costText(usage)).toBe("1.2k tokens, cost unknown");
    expect(costText({ ...usage, cost: 0.04 })).toBe("$0.04");
    expect(factsOf(session({ state: "idle" }), at0 + 65_000)).toEqual(["idle", "shop", "1m", "openai/x"]);
  });

  it("tells only what came since the last look", () => {
    const next = overview([], [waits("1"), waits("2")]);
    expect(newlyWaiting(undefined, next)).toEqual([]);
    expect(newlyWaiting(overview([], [waits("1")]), next).map(({ approval }) => approval.id)).toEqual(["2"]);
  });
});

describe("keepCards", () => {
  const ids = (cards: ReturnType<typeof keepCards>) =>
    cards.map(({ approval, waits }) => `${approval.id}${waits ? "" : " decided"}`);

  it("begins with the oldest", () => {
    expect(ids(keepCards([], [waits("young", 2), waits("old", 1)]))).toEqual(["old", "young"]);
  });

  it("keeps places: decided ones stay, new ones come below even if they are older", () => {
    const first = keepCards([], [waits("a", 5), waits("b", 6)]);
    const second = keepCards(first, [waits("b", 6), waits("c", 1)]);
    expect(ids(second)).toEqual(["a decided", "b", "c"]);
    expect(second[1]).toBe(first[1]);
    expect(ids(keepCards(second, [waits("c", 1)]))).toEqual(["a decided", "b decided", "c"]);
  });
});

describe("doneSince", () => {
  it("names sessions that came to rest since the mark, and those that worked again", () => {
    const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
    const before = [session({ id: "a", state: "idle", usage }), session({ id: "b", state: "running" })];
    const mark = visitMark(before);
    const after = [
      session({ id: "a", state: "idle", usage }),
      session({ id: "b", state: "idle" }),
      session({ id: "c", state: "running" }),
    ];
    expect([...doneSince(after, mark)]).toEqual(["b"]);
    expect([...doneSince([session({ id: "a", state: "idle", usage: { ...usage, input: 99 } })], mark)]).toEqual(["a"]);
    expect(doneSince(after, undefined).size).toBe(0);
  });
});
