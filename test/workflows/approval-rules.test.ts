// What the user's configuration adds to an approval: a deadline, and somebody who is told.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { FollowItem } from "../../src/client/contract.ts";
import { ModelError } from "../../src/providers/contract.ts";
import { bash, fakeModel, resultTexts, TestSessions } from "../support/sessions.ts";

const config = (sessions: TestSessions, text: string) =>
  writeFileSync(join(dirname(sessions.home.configFile), "config.toml"), text);

it("denies at the deadline of a rule what nobody answered, with a reason, and goes on; one that was answered stands", async () => {
  const model = fakeModel((turn) => (turn === 1 ? [bash("echo x > slow"), bash("touch quick")] : "done"));
  const sessions = await TestSessions.start(model);
  config(
    sessions,
    '[[rules]]\ndecision = "ask"\ntool = "bash"\ncommand = "touch *"\nreason = "look twice"\ndeadline = "2s"\n',
  );
  const id = await sessions.run("go", { approval: "ask" });
  await sessions.untilState(id, "waiting");
  const { pending } = await sessions.client.state(id);
  const quick = pending.find(({ summary }) => summary === "touch quick")!;
  expect(quick).toMatchObject({ reason: "rule", reasonDetail: expect.stringContaining("look twice") });
  expect(quick.expiresAt! - quick.requestedAt).toBe(2_000);
  const slow = pending.find(({ summary }) => summary === "echo x > slow")!;
  expect(slow.expiresAt).toBeUndefined();
  const expired = (item: FollowItem) => item.kind === "event" && item.event.type === "approval_resolved";
  const { events } = await sessions.until(id, expired);
  expect(events.at(-1)).toMatchObject({ approvalId: quick.id, decision: "deny", via: "deadline" });
  const late = await sessions.client.decide(id, { approvalId: quick.id, decision: "allow", by: "me" });
  expect(late.kind).toBe("refused");
  await sessions.client.decide(id, { approvalId: slow.id, decision: "allow", by: "me" });
  await sessions.untilState(id, "idle");
  expect(resultTexts(model.requests.at(-1)!.messages).join()).toContain("Nobody answered within 2 s");
});

/** A server that keeps what it is told. */
async function listener() {
  const told: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    told.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

it("tells that it is blocked, once for each block, and that longer work ended; nothing of what was quick", {
  timeout: 40_000,
}, async () => {
  const { told, url } = await listener();
  let keyIsRight = false;
  const model = fakeModel((turn) => {
    if (!keyIsRight) return new ModelError("auth", "the key was refused", { next: "tempi init" });
    return turn === 1 && told.length === 1 ? [bash("sleep 10.1")] : "done";
  });
  const sessions = await TestSessions.start(model);
  sessions.notifyTargets = { url };
  const id = await sessions.run("go", {}, { closeAfterMs: 0 });
  const blocked = await sessions.untilState(id, "blocked");
  const next = `tempi init, then tempi retry ${id}`;
  const about = { v: 1, sessionId: id, title: "go", cwd: sessions.workspace };
  await vi.waitFor(() => expect(told).toEqual([{ ...about, event: "blocked", cause: "the key was refused", next }]));
  keyIsRight = true;
  await sessions.client.retry(id, "me");
  // It closes at once after its answer: what is told first gets its moment.
  await sessions.until(id, (item) => item.kind === "closed", blocked.at(-1)!.seq);
  expect(told.slice(1)).toEqual([{ ...about, event: "ended", state: "idle" }]);
  const quick = await sessions.run("again", {}, { closeAfterMs: 0 });
  await sessions.until(quick, (item) => item.kind === "closed");
  expect(told).toHaveLength(2);
});

it("tells whom the configuration names once per batch that something waits, and not what asks nobody", async () => {
  const { told, url } = await listener();
  const model = fakeModel((turn) => {
    if (turn === 1) return [bash("pwd")];
    return turn === 2 ? [bash("touch a"), bash("touch b")] : "done";
  });
  const sessions = await TestSessions.start(model);
  sessions.notifyTargets = { url };
  const id = await sessions.run("go", { approval: "ask" });
  await sessions.untilState(id, "waiting");
  await vi.waitFor(() => expect(told).toHaveLength(1));
  for (const { id: approvalId } of (await sessions.client.state(id)).pending) {
    await sessions.client.decide(id, { approvalId, decision: "deny", by: "me" });
  }
  await sessions.untilState(id, "idle");
  // That somebody was told stands in the history, too, and is no message.
  expect((await sessions.client.account(id)).messages.map(({ message }) => message.role).join()).toBe(
    "user,assistant,toolResult,assistant,toolResult,toolResult,assistant",
  );
  expect(told).toEqual([
    {
      v: 1,
      event: "waiting",
      sessionId: id,
      title: "go",
      cwd: sessions.workspace,
      waiting: [
        { toolName: "bash", summary: "touch a" },
        { toolName: "bash", summary: "touch b" },
      ],
    },
  ]);
});
