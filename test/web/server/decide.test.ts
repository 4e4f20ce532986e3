import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approval } from "../../../src/agent/approval.ts";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { testApproval } from "../../support/fake-session-client.ts";
import { bash, fakeModel, resultTexts, TestSessions } from "../../support/sessions.ts";
import { Browser, type TestWeb, testWeb } from "../../support/web-client.ts";

const waits = (event: { data: { event?: SessionEvent } }) => event.data.event?.type === "approval_requested";

async function realSession(turns: (string | ReturnType<typeof bash>[])[]) {
  const model = fakeModel((turn) => turns[turn - 1] ?? "done");
  const sessions = await TestSessions.start(model);
  const web = await testWeb({ home: sessions.home, client: sessions.client });
  const id = await sessions.run("go", { approval: "ask" });
  const browser = await Browser.signedIn(web);
  const reader = await browser.stream(`/api/sessions/${id}/stream`);
  const approval = async (position = 0) => {
    let found = 0;
    const event = await reader.until((one) => waits(one) && found++ === position);
    return event.data.event.approval as Approval;
  };
  const decide = (approvalId: string, decision: string, more: Record<string, unknown> = {}) =>
    browser.post(`/api/sessions/${id}/decide`, { approvalId, decision, ...more });
  return { model, sessions, web, id, browser, reader, approval, decide };
}

const answerOf = async (answer: Response): Promise<[number, { error?: string }]> => [
  answer.status,
  (await answer.json()) as { error?: string },
];

describe("a decision over HTTP", () => {
  it("lets a call run once; the second is told what the first did (A05)", async () => {
    const { sessions, web, reader, approval, decide } = await realSession([[bash("echo ran >> ran.txt")]]);
    const { id } = await approval();
    expect(await answerOf(await decide(id, "allow"))).toEqual([200, {}]);
    expect(await answerOf(await decide(id, "allow"))).toEqual([
      409,
      { error: "it was decided before: allow by ann@here" },
    ]);
    expect(await answerOf(await decide(id, "deny"))).toEqual([
      409,
      { error: "it was decided before: allow by ann@here" },
    ]);
    await reader.until(({ data }) => data.event?.type === "agent_end");
    expect(readFileSync(join(sessions.workspace, "ran.txt"), "utf8")).toBe("ran\n");
    const resolved = reader.events.filter(({ data }) => data.event?.type === "approval_resolved");
    expect(resolved.map(({ data }) => data.event)).toMatchObject([{ decision: "allow", by: "ann@here", via: "page" }]);
    expect(web.lines.filter((line) => line.includes("decision by ann@here"))).toHaveLength(3);
    expect(web.lines.join()).not.toContain("ran.txt");
  });

  it("is one of two that come at once, by one person or by two (A05)", async () => {
    const { sessions, web, id, reader, approval, decide } = await realSession([
      [bash("echo one >> ran.txt")],
      [bash("echo two >> ran.txt")],
    ]);
    const first = await approval();
    const both = await Promise.all([decide(first.id, "allow"), decide(first.id, "allow")]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);

    const second = await approval(1);
    const bob = await testWeb({ home: sessions.home, client: sessions.client, person: "bob@there" });
    const bobs = (await Browser.signedIn(bob)).post(`/api/sessions/${id}/decide`, {
      approvalId: second.id,
      decision: "deny",
    });
    const answers = await Promise.all([decide(second.id, "allow"), bobs]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await reader.until(({ data }) => data.event?.type === "agent_end");
    const won = answers[0]!.status === 200;
    expect(readFileSync(join(sessions.workspace, "ran.txt"), "utf8")).toBe(won ? "one\ntwo\n" : "one\n");
    expect(web.port).not.toBe(bob.port);
  });

  it("of an unknown, old or foreign approval changes nothing, and is noted (A01)", async () => {
    const { sessions, web, id, reader, browser, approval, decide } = await realSession([[bash("echo ran > ran.txt")]]);
    const { id: approvalId } = await approval();
    const unknown = await decide("run-1.1.1.abc", "allow");
    expect(await answerOf(unknown)).toEqual([404, { error: "no such approval" }]);
    const elsewhere = await browser.post("/api/sessions/zzzzzz/decide", { approvalId, decision: "allow" });
    expect(elsewhere.status).toBe(404);
    expect(existsSync(join(sessions.workspace, "ran.txt"))).toBe(false);
    await decide(approvalId, "deny", { reason: "not today" });
    await reader.until(({ data }) => data.event?.type === "agent_end");
    expect((await decide(approvalId, "allow")).status).toBe(409);
    expect(existsSync(join(sessions.workspace, "ran.txt"))).toBe(false);
    const noted = web.lines.filter((line) => line.includes("decision by"));
    expect(noted.map((line) => line.split(": ").slice(2).join(": "))).toEqual([
      expect.stringContaining("404, no such approval"),
      expect.stringContaining("404,"),
      expect.stringContaining("accepted"),
      expect.stringContaining("409, it was decided before: deny by ann@here"),
    ]);
    expect(noted[0]).toContain(id);
  });

  it("for the call before does not touch the one that waits now (A08)", async () => {
    const { sessions, model, id, approval, decide } = await realSession([
      [bash("echo one > one.txt")],
      [bash("echo two > two.txt")],
    ]);
    const first = await approval();
    await decide(first.id, "deny", { reason: "no" });
    const second = await approval(1);
    expect((await decide(first.id, "allow")).status).toBe(409);
    expect((await sessions.client.state(id)).pending.map((one) => one.id)).toEqual([second.id]);
    expect(existsSync(join(sessions.workspace, "two.txt"))).toBe(false);
    await decide(second.id, "allow");
    await sessions.until(id, (item) => item.kind === "event" && item.event.type === "agent_end");
    expect([existsSync(join(sessions.workspace, "one.txt")), existsSync(join(sessions.workspace, "two.txt"))]).toEqual([
      false,
      true,
    ]);
    expect(resultTexts(model.requests.at(-1)!.messages)[0]).toContain("no");
  });

  it("runs edited arguments, and the account shows the session", async () => {
    const { sessions, id, browser, reader, approval, decide } = await realSession([[bash("echo wrong > a.txt")]]);
    writeFileSync(join(sessions.workspace, "a.txt"), "before\n");
    const { id: approvalId } = await approval();
    expect((await decide(approvalId, "allow", { args: { command: "echo right > a.txt" } })).status).toBe(200);
    await reader.until(({ data }) => data.event?.type === "agent_end");
    expect(readFileSync(join(sessions.workspace, "a.txt"), "utf8")).toBe("right\n");
    const view = await (await browser.get(`/api/sessions/${id}`)).json();
    expect(view).toMatchObject({ summary: { id }, answer: "done", commands: { run: 1, failed: [] } });
    expect(await (await browser.get(`/api/sessions/${id}/events?before=1`)).json()).toEqual([]);
    const messages = (await (await browser.get(`/api/sessions/${id}/messages`)).json()) as unknown[];
    expect(messages).toHaveLength(4);
  });
});

describe("a remembered decision", () => {
  const projectRule = {
    rule: { tool: "bash", command: "npm publish", repository: "/home/demo" },
    text: "bash: npm publish, in /home/demo",
  };
  async function asked(
    changes: Partial<Approval>,
    addProjectRule?: () => Promise<void>,
  ): Promise<{ web: TestWeb; added: unknown[]; post: (body: object) => Promise<Response> }> {
    const added: unknown[] = [];
    const web = await testWeb({
      addProjectRule: async (rule) => {
        await addProjectRule?.();
        added.push(rule);
      },
    });
    web.client.add("k7f3qd", {}).ask(testApproval(changes));
    const browser = await Browser.signedIn(web);
    return {
      web,
      added,
      post: (body) => browser.post("/api/sessions/k7f3qd/decide", { approvalId: "run-1.1.1.abc", ...body }),
    };
  }

  it("writes the rule of the card after it was accepted, and answers its words", async () => {
    const { added, post } = await asked({ projectRule });
    const answer = await post({ decision: "allow", remember: "project" });
    expect(await answerOf(answer)).toEqual([200, { rule: projectRule.text }]);
    expect(added).toEqual([projectRule.rule]);
  });

  it("counts also when the rule cannot be written, and says so", async () => {
    const { web, added, post } = await asked({ projectRule }, () => Promise.reject(new Error("disk full")));
    const answer = await post({ decision: "allow", remember: "project" });
    expect(await answerOf(answer)).toEqual([
      200,
      { ruleError: "allowed, but the rule could not be written: disk full" },
    ]);
    expect([added, web.client.demo.get("k7f3qd")!.state.pending]).toEqual([[], []]);
  });

  it("answers the words of a rule for the session", async () => {
    const { added, post } = await asked({ projectRule });
    expect(await answerOf(await post({ decision: "allow", remember: "session" }))).toEqual([
      200,
      { rule: "bash: npm publish" },
    ]);
    expect(added).toEqual([]);
  });

  it.each([
    [{ decision: "allow", remember: "project" }],
    [{ decision: "deny", remember: "session" }],
    [{ decision: "allow", remember: "session", args: { command: "npm publish --dry-run" } }],
    [{ decision: "deny", args: { command: "x" } }],
  ])("is refused where the session would drop it: %j", async (body) => {
    const { web, added, post } = await asked({});
    expect((await post(body)).status).toBe(400);
    expect([added, web.client.demo.get("k7f3qd")!.state.pending.length]).toEqual([[], 1]);
  });
});
