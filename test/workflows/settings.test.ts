import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { textOf } from "../../src/agent/messages.ts";
import type { FollowItem } from "../../src/client/contract.ts";
import { bash, fakeModel, TestSessions } from "../support/sessions.ts";

it("tools set in mid-run hold from the next turn on: declared, in the prompt, and looked up (C5)", async () => {
  let sessions!: TestSessions;
  const offered: string[][] = [];
  const model = fakeModel(async (turn, request) => {
    offered.push(request.tools.map(({ name }) => name));
    if (turn === 1) await sessions.client.configure(sessions.lastId, { activeTools: ["bash", "nope"] });
    return turn <= 2 ? [bash("true")] : "done";
  });
  sessions = await TestSessions.start(model);
  const id = await sessions.run("go", { activeTools: ["read", "bash"] });
  const events = await sessions.untilState(id, "idle");
  expect(offered).toEqual([["read", "bash"], ["bash"], ["bash"]]);
  expect(model.requests[0]!.systemPrompt).toContain("- read:");
  expect(model.requests[1]!.systemPrompt).not.toContain("- read:");
  // Unchanged settings give the same prompt, byte for byte: the endpoint's cache holds.
  expect(model.requests[1]!.systemPrompt).toBe(model.requests[2]!.systemPrompt);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "notice", text: expect.stringContaining('no tool "nope"') }),
  );
});

it("takes queued prompts one at a time, or all together where the session is set so (H3)", async () => {
  for (const [queue, turns] of [
    ["one", 4],
    ["all", 2],
  ] as const) {
    let sessions!: TestSessions;
    const model = fakeModel(async (turn) => {
      if (turn > 1) return "fine";
      for (const text of ["a", "b", "c"])
        await sessions.client.send(sessions.lastId, { id: text, text, delivery: "steer" });
      return [bash("true")];
    });
    sessions = await TestSessions.start(model);
    const id = await sessions.run("go", { queue });
    await sessions.untilState(id, "idle");
    expect(model.requests).toHaveLength(turns);
    const users = model.requests
      .at(-1)!
      .messages.filter(({ role }) => role === "user")
      .map(({ content }) => textOf(content));
    expect(users).toEqual(["go", "a", "b", "c"]);
  }
});

it("a system prompt of one's own is read at each request; a missing file blocks", async () => {
  const model = fakeModel((turn) => `answer ${turn}`);
  const sessions = await TestSessions.start(model);
  const systemPromptFile = join(sessions.workspace, "prompt.md");
  writeFileSync(systemPromptFile, "You are a pirate.");
  const id = await sessions.run("go", { systemPromptFile });
  const events = await sessions.untilState(id, "idle");
  expect(model.requests[0]!.systemPrompt).toMatch(/^You are a pirate\./);
  expect(model.requests[0]!.systemPrompt).toContain(sessions.workspace);
  rmSync(systemPromptFile);
  await sessions.client.send(id, { id: "next", text: "next", delivery: "steer" });
  await sessions.untilState(id, "blocked", events.at(-1)!.seq);
  expect((await sessions.client.state(id)).cause).toContain("prompt.md");
});

it("a list of sessions shows the title and the model that were set last", async () => {
  const sessions = await TestSessions.start(fakeModel((turn) => `answer ${turn}`));
  const id = await sessions.run("go");
  const events = await sessions.untilState(id, "idle");
  await sessions.client.configure(id, { title: "renamed", model: { provider: "scripted", model: "another" } });
  const configured = (item: FollowItem) => item.kind === "event" && item.event.type === "configured";
  await sessions.until(id, configured, events.at(-1)!.seq);
  const listed = (await sessions.client.list()).find((session) => session.id === id);
  expect(listed).toMatchObject({ title: "renamed", model: "scripted/another" });
});
