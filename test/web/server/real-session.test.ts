import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { StoredMessage } from "../../../src/agent/messages.ts";
import { bash, fakeModel, TestSessions } from "../../support/sessions.ts";
import { Browser, type ReadEvent, testWeb } from "../../support/web-client.ts";

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const ended = (times: number) => {
  let seen = 0;
  return ({ data }: ReadEvent) => data.event?.type === "agent_end" && ++seen === times;
};
const prompts = (events: ReadEvent[]): string[] =>
  events.flatMap(({ data }) => (data.message?.role === "user" ? [data.message.content[0].text as string] : []));

async function serving(model: ReturnType<typeof fakeModel>) {
  const sessions = await TestSessions.start(model);
  const web = await testWeb({ home: sessions.home, client: sessions.client });
  return { sessions, web, browser: await Browser.signedIn(web) };
}

it("shows growing output to who watches and to who comes late, then the record", async () => {
  const command = "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second";
  const { sessions, browser } = await serving(fakeModel((turn) => (turn === 1 ? [bash(command)] : "done")));
  const id = await sessions.run("go");
  const early = await browser.stream(`/api/sessions/${id}/stream`);
  const isOutput = ({ data }: ReadEvent) => data.frame?.blocks[0]?.tail.includes("first");
  await early.until(isOutput);
  const late = await browser.stream(`/api/sessions/${id}/stream`);
  await late.until(isOutput);
  writeFileSync(join(sessions.workspace, "go"), "");
  for (const reader of [early, late]) {
    await reader.until(ended(1));
    expect(reader.events[0]).toEqual({ name: "begin", data: { kind: "begin", first: 1 } });
    expect(reader.ids).toEqual(range(1, reader.ids.length));
  }
  // Nothing is left of the output in the passing things: it is in the record.
  const after = await browser.stream(`/api/sessions/${id}/stream`);
  await after.until(({ name }) => name === "state");
  expect(after.events.map(({ name }) => name)).not.toContain("live");
  expect(JSON.stringify(after.events)).toContain("first\\nsecond");
});

it("shows what two tabs send at once, each once and in one order (B24)", async () => {
  const { sessions, browser } = await serving(fakeModel((turn) => `answer ${turn}`));
  const id = await sessions.run("go");
  const readers = await Promise.all([1, 2].map(() => browser.stream(`/api/sessions/${id}/stream`)));
  await readers[0]!.until(ended(1));
  const send = (name: string) =>
    browser.post(`/api/sessions/${id}/send`, { id: name, text: `from ${name}`, delivery: "followUp" });
  // One of them twice, as a browser does whose connection broke.
  await Promise.all([send("tab-1"), send("tab-2"), send("tab-1")]);
  for (const reader of readers) await reader.until(() => prompts(reader.events).length === 3);
  const [first, second] = readers.map(({ events }) => prompts(events));
  expect([...first!].sort()).toEqual(["from tab-1", "from tab-2", "go"]);
  expect(second).toEqual(first);
});

it("goes on when a closed session is opened again, and after a new server began", async () => {
  const { sessions, web, browser } = await serving(fakeModel((turn) => `answer ${turn}`));
  const id = await sessions.run("go", {}, { closeAfterMs: 0 });
  const reader = await browser.stream(`/api/sessions/${id}/stream`);
  await reader.until(({ name }) => name === "closed");
  const seen = reader.ids.at(-1)!;
  await browser.post(`/api/sessions/${id}/send`, { id: "again", text: "again", delivery: "steer" });
  await reader.until(ended(2));
  expect(reader.ids).toEqual(range(1, reader.ids.length));
  expect(prompts(reader.events)).toEqual(["go", "again"]);

  await web.server.close();
  const next = await testWeb({ home: sessions.home, client: sessions.client });
  const other = await Browser.signedIn(next);
  const resumed = await other.stream(`/api/sessions/${id}/stream`, { "Last-Event-ID": String(seen) });
  await resumed.until(ended(1));
  expect(resumed.events[0]!.name).toBe("event");
  expect(resumed.ids).toEqual(range(seen + 1, seen + resumed.ids.length));
  const fresh = await other.stream(`/api/sessions/${id}/stream`);
  const { data } = await fresh.until(({ name }) => name === "begin");
  expect(data.first).toBe(seen + 1);
  const earlier = await other.get(`/api/sessions/${id}/events?before=${data.first}`);
  const events = (await earlier.json()) as { event: { seq: number } }[];
  expect(events.map(({ event }) => event.seq)).toEqual(range(1, seen));
  // Somebody who was away since before the run that is read now is told so.
  const away = await other.stream(`/api/sessions/${id}/stream`, { "Last-Event-ID": "1" });
  await away.until(({ name }) => name === "state");
  expect(away.events.slice(0, 2).map(({ name }) => name)).toEqual(["resync", "begin"]);
});

it.each([
  ["that is open", 600_000],
  ["that is closed", 0],
])("shows a session %s whose worker is away, and goes on when one is back", async (_what, closeAfterMs) => {
  const model = fakeModel(() => "the answer");
  const { sessions, browser } = await serving(model);
  const id = await sessions.run("go", {}, { closeAfterMs });
  await sessions.until(id, (item) => item.kind === "event" && item.event.type === "agent_end");
  await sessions.stopWorker();
  const view = (await (await browser.get(`/api/sessions/${id}`)).json()) as { answer: string };
  expect(view.answer).toBe("the answer");
  const messages = (await (await browser.get(`/api/sessions/${id}/messages`)).json()) as StoredMessage[];
  expect(messages.map(({ message }) => message.role)).toEqual(["user", "assistant"]);
  const reader = await browser.stream(`/api/sessions/${id}/stream`);
  const behind = await browser.stream(`/api/sessions/${id}/stream?after=3`);
  const offline = await reader.until(({ name }) => name === "offline");
  expect(offline.data.offline).toBe(true);
  await sessions.startWorker(model);
  for (const one of [reader, behind]) {
    await one.until(({ name }) => name === "state");
    expect(one.events.slice(0, 2).map(({ name, data }) => [name, data.offline])).toEqual([
      ["offline", true],
      ["offline", false],
    ]);
  }
  expect(reader.ids).toEqual(range(1, reader.ids.length));
  expect(behind.ids).toEqual(range(4, reader.ids.length));
});
