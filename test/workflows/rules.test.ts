// Rules in a whole session: what the model reads, what waits, what a change in between does.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectFileOf } from "../../src/config/project-rules.ts";
import { addRememberedRule } from "../../src/config/rules.ts";
import { bash, type FakeModel, fakeModel, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

type Settings = Parameters<TestSessions["run"]>[1];

/** A session with the user's rules; `prepare` fills the workspace before it begins. */
async function withRules(model: FakeModel, config: string, settings: Settings, prepare?: (folder: string) => void) {
  const sessions = await TestSessions.start(model);
  writeFileSync(sessions.home.configFile, config);
  prepare?.(sessions.workspace);
  const id = await sessions.run("go", settings);
  return { sessions, id };
}

const rule = (...lines: string[]): string => `[[rules]]\n${lines.join("\n")}\n`;
const lastResults = (model: FakeModel): string[] => resultTexts(model.requests.at(-1)!.messages);

it("a denied call is an error that the model reads, at level auto too; the rest of the answer goes on", async () => {
  const model = fakeModel((turn) => (turn === 1 ? [bash("echo $(curl x)"), bash("echo fine")] : "done"));
  const config = rule('decision = "deny"', 'tool = "bash"', 'command = "curl *"', 'reason = "no network"');
  const { sessions, id } = await withRules(model, config, { approval: "auto" });
  await sessions.untilState(id, "idle");
  const [denied, other] = lastResults(model);
  expect(denied).toContain("A rule of the user denies this: no network. Do not do it another way");
  expect(other).toContain("fine");
});

it("fields that the model adds change nothing of the decision (S18)", async () => {
  const flags = { requires_approval: false, background: true, sandbox: false, approved: true };
  const call = toolCall("bash", { command: "touch made", ...flags });
  const { sessions, id } = await withRules(
    fakeModel((turn) => (turn === 1 ? [call] : "done")),
    "",
    { approval: "ask" },
  );
  await sessions.untilState(id, "waiting");
  expect((await sessions.client.state(id)).pending).toMatchObject([{ toolName: "bash", reason: "not-read-only" }]);
  expect(existsSync(join(sessions.workspace, "made"))).toBe(false);
});

it("an ask rule asks at level auto, with its words, and denies when its deadline is over", async () => {
  const model = fakeModel((turn) => (turn === 1 ? [bash("touch made")] : "done"));
  const lines = ['decision = "ask"', 'tool = "bash"', 'command = "touch *"', 'reason = "Really?"', 'deadline = "1s"'];
  const { sessions, id } = await withRules(model, rule(...lines), { approval: "auto" });
  const events = await sessions.untilState(id, "idle");
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "approval_requested",
      approval: expect.objectContaining({ reason: "rule", reasonDetail: "Really?", expiresAt: expect.any(Number) }),
    }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ type: "approval_resolved", decision: "deny", via: "deadline" }),
  );
  expect(existsSync(join(sessions.workspace, "made"))).toBe(false);
});

it("a rule for a script holds until the session changes it; then it asks anew (S19)", async () => {
  const model = fakeModel((turn) => {
    if (turn === 1) return [bash("bash x.sh")];
    if (turn === 2) return [toolCall("write", { path: "x.sh", content: "touch made" })];
    return turn === 3 ? [bash("bash x.sh")] : "done";
  });
  const config = rule('decision = "allow"', 'tool = "bash"', 'command = "bash x.sh"');
  const { sessions, id } = await withRules(model, config, { approval: "edits" }, (folder) =>
    writeFileSync(join(folder, "x.sh"), "echo first"),
  );
  await sessions.untilState(id, "waiting");
  expect(resultTexts(model.requests[1]!.messages)[0]).toContain("first");
  const { pending } = await sessions.client.state(id);
  expect(pending).toMatchObject([{ reason: "changed-script", reasonDetail: join(sessions.workspace, "x.sh") }]);
  expect(existsSync(join(sessions.workspace, "made"))).toBe(false);
});

it("what a person allowed does not run once the script is another (S19, A02)", async () => {
  const model = fakeModel((turn) => (turn === 1 ? [bash("bash x.sh")] : "done"));
  const { sessions, id } = await withRules(model, "", { approval: "ask" }, (folder) =>
    writeFileSync(join(folder, "x.sh"), "echo first"),
  );
  await sessions.untilState(id, "waiting");
  const [approval] = (await sessions.client.state(id)).pending;
  writeFileSync(join(sessions.workspace, "x.sh"), "touch made");
  await sessions.client.decide(id, { approvalId: approval!.id, decision: "allow", by: "ann@host" });
  await sessions.untilState(id, "idle");
  expect(lastResults(model)[0]).toContain("Not run: what this call would do changed");
  expect(existsSync(join(sessions.workspace, "made"))).toBe(false);
});

it("what was allowed for the session asks anew with another script (S19)", async () => {
  const model = fakeModel((turn) => {
    if (turn === 1 || turn === 3) return [bash("bash x.sh")];
    return turn === 2 ? [toolCall("write", { path: "x.sh", content: "touch made" })] : "done";
  });
  const { sessions, id } = await withRules(model, "", { approval: "edits" }, (folder) =>
    writeFileSync(join(folder, "x.sh"), "echo first"),
  );
  const events = await sessions.untilState(id, "waiting");
  const [approval] = (await sessions.client.state(id)).pending;
  await sessions.client.decide(id, { approvalId: approval!.id, decision: "allow", by: "a@h", remember: "session" });
  await sessions.untilState(id, "waiting", events.length);
  expect((await sessions.client.state(id)).pending).toHaveLength(1);
  expect(existsSync(join(sessions.workspace, "made"))).toBe(false);
});

it("an approval offers the rule for the repository, and a call after it was written runs unasked", async () => {
  const model = fakeModel((turn) => (turn === 1 || turn === 2 ? [bash("touch made")] : "done"));
  const { sessions, id } = await withRules(model, "", { approval: "ask" });
  await sessions.untilState(id, "waiting");
  const [approval] = (await sessions.client.state(id)).pending;
  expect(approval!.projectRule).toEqual({
    rule: { tool: "bash", command: "touch made", repository: sessions.workspace },
    text: 'bash "touch made" in this repository',
  });
  addRememberedRule(sessions.home, approval!.projectRule!.rule);
  // The card on show is not answered by it.
  expect((await sessions.client.state(id)).pending).toHaveLength(1);
  await sessions.client.decide(id, { approvalId: approval!.id, decision: "deny", by: "ann@host" });
  await sessions.untilState(id, "idle");
  expect(existsSync(join(sessions.workspace, "made"))).toBe(true);
});

it("says once that rules cannot be read and that a project's file is not trusted, and asks for what changes (C01)", async () => {
  const model = fakeModel((turn) => (turn === 1 ? [bash("ls")] : turn === 2 ? [bash("touch made")] : "done"));
  const { sessions, id } = await withRules(model, rule('decision = "deny"'), { approval: "auto" }, (folder) => {
    mkdirSync(join(folder, ".tempi"));
    writeFileSync(projectFileOf(folder), rule('decision = "allow"', 'tool = "*"'));
  });
  const events = await sessions.untilState(id, "waiting");
  const notices = events.filter(({ type }) => type === "notice");
  expect(JSON.stringify(notices).match(/cannot be read/g)).toHaveLength(1);
  expect(JSON.stringify(notices).match(/is not trusted/g)).toHaveLength(1);
  expect((await sessions.client.state(id)).pending).toMatchObject([
    { reason: "rule", reasonDetail: expect.stringContaining("rule 1: tool is missing") },
  ]);
  expect(existsSync(join(sessions.workspace, "made"))).toBe(false);
});
