// Sessions that the page starts: a real Temporal server and a real worker; only the model is a stand-in.
import { rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newSessionId } from "../../src/cli/ids.ts";
import { newSessionOptions, startFromPage } from "../../src/main/page-sessions.ts";
import { fakeModel, TestSessions } from "../support/sessions.ts";

afterEach(() => vi.unstubAllEnvs());

async function withConfig(text: string) {
  const model = fakeModel(() => "done");
  const sessions = await TestSessions.start(model);
  writeFileSync(sessions.home.configFile, `model = "scripted:/no/such/model.json"\n${text}`);
  const start = (more: object = {}) =>
    startFromPage(sessions.client, sessions.home, { prompt: "first line\nmore", cwd: sessions.workspace, ...more });
  return { sessions, model, start };
}

test("a start that is sent again is the same session with one prompt, also when it was closed since", async () => {
  const { sessions, model, start } = await withConfig("");
  const id = newSessionId();
  expect(await Promise.all([start({ id }), start({ id })])).toEqual([{ sessionId: id }, { sessionId: id }]);
  await sessions.untilState(id, "idle");
  expect(await start({ id, prompt: "another" })).toEqual({ sessionId: id });
  await sessions.client.finish(id, "me");
  await sessions.until(id, ({ kind }) => kind === "closed");
  expect(await start({ id })).toEqual({ sessionId: id });

  const { summary, messages } = await sessions.client.account(id);
  expect(summary).toMatchObject({ title: "first line", cwd: sessions.workspace, repository: "workspace" });
  expect(messages.map(({ message }) => message.role)).toEqual(["user", "assistant"]);
  expect(model.requests).toHaveLength(1);
});

test("auto counts where the user's file says so, not where a variable of some terminal does", async () => {
  vi.stubEnv("TEMPI_APPROVAL", "auto");
  const { sessions, start } = await withConfig('approval = "edits"\n');
  const first = await start();
  await sessions.untilState(first.sessionId, "idle");
  expect((await sessions.client.state(first.sessionId)).settings.approval).toBe("edits");

  vi.stubEnv("TEMPI_APPROVAL", undefined);
  writeFileSync(sessions.home.configFile, 'model = "scripted:/x"\napproval = "auto"\n');
  const second = await start();
  await sessions.untilState(second.sessionId, "idle");
  expect((await sessions.client.state(second.sessionId)).settings.approval).toBe("auto");
});

test("what cannot be started is refused with its reason; folders that are there and the model are offered", async () => {
  const { sessions, start } = await withConfig("");
  for (const [request, why] of [
    [{ prompt: " \n" }, /the prompt is empty/],
    [{ prompt: "x".repeat(300_000) }, /longer than 256 KB/],
    [{ cwd: "relative" }, /absolute path/],
    [{ cwd: join(sessions.workspace, "nothing") }, /does not exist/],
    [{ cwd: "/" }, /the root folder as workspace/],
    [{ cwd: homedir() }, /your home folder as workspace/],
    [{ id: "../../x" }, /no id of a session/],
    [{ model: "nobody/x" }, /unknown provider|no key|several/],
  ] as const) {
    await expect(start(request)).rejects.toMatchObject({ message: expect.stringMatching(why) as string });
  }
  const { sessionId } = await start();
  await sessions.untilState(sessionId, "idle");
  const here = { cwd: sessions.workspace, repository: "workspace" };
  await expect.poll(async () => (await newSessionOptions(sessions.client, sessions.home)).folders).toContainEqual(here);
  const options = await newSessionOptions(sessions.client, sessions.home);
  expect(options.model).toBe("scripted:/no/such/model.json");
  writeFileSync(sessions.home.configFile, "");
  vi.stubEnv("TEMPI_MODEL", undefined);
  expect((await newSessionOptions(sessions.client, sessions.home)).error).toMatchObject({ error: "no model is known" });
  rmSync(sessions.workspace, { recursive: true });
  expect((await newSessionOptions(sessions.client, sessions.home)).folders).not.toContainEqual(here);
});
