import { connect } from "node:net";
import { expect, it } from "vitest";
import { startWebServer } from "../../../src/web/server/start.ts";
import { answerMessage } from "../../support/fake-session-client.ts";
import { Browser, type EventReader, type ReadEvent, testPage, testWeb } from "../../support/web-client.ts";

const path = "/api/sessions/k7f3qd/stream";
const notices = (count: number, add: (text: string) => void, from = 1) => {
  for (let at = from; at < from + count; at++) add(`notice ${at}`);
};
const isEvent = (seq: number) => (event: ReadEvent) => event.name === "event" && event.data.event.seq === seq;
const isState = (event: ReadEvent) => event.name === "state";
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

async function withSession() {
  const web = await testWeb();
  const session = web.client.add("k7f3qd", {});
  const say = (text: string) => session.event({ type: "notice", text });
  return { web, session, say, browser: await Browser.signedIn(web) };
}

it("tells the list at once and at each change, and asks Temporal once for all tabs", async () => {
  const { web, session, browser } = await withSession();
  const tabs = await Promise.all(Array.from({ length: 5 }, () => browser.stream("/api/sessions/stream")));
  for (const tab of tabs) {
    const first = await tab.until(({ name }) => name === "overview");
    expect(first.data.sessions).toMatchObject([{ id: "k7f3qd", state: "running" }]);
  }
  session.become("idle");
  for (const tab of tabs) await tab.until(({ data }) => data.sessions[0].state === "idle");
  expect(await (await browser.get("/api/sessions")).json()).toMatchObject({ sessions: [{ state: "idle" }] });
  await browser.stream(path);
  expect(web.client.calls("watch")).toHaveLength(1);
});

it("tells all readers the same in the same order, and begins a late one with what there is (B24)", async () => {
  const { web, session, say, browser } = await withSession();
  notices(30, say);
  const early = await browser.stream(path);
  await early.until(isState);
  const other = await (await Browser.signedIn(web)).stream(path);
  await other.until(isState);
  const send = (id: string) => browser.post("/api/sessions/k7f3qd/send", { id, text: `from ${id}`, delivery: "steer" });
  expect((await Promise.all([send("tab-1"), send("tab-2")])).map(({ status }) => status)).toEqual([202, 202]);
  say("last");
  const last = session.events.length;
  const late = await browser.stream(path);
  for (const reader of [early, other, late]) {
    await reader.until(isEvent(last));
    expect(reader.ids.slice(0, last)).toEqual(range(1, last));
    expect(reader.events[0]).toEqual({ name: "begin", data: { kind: "begin", first: 1 } });
    const texts = reader.events.slice(0, 60).map(({ data }) => data.message?.content?.[0]?.text ?? "");
    expect(texts.filter((text) => text.startsWith("from tab-")).sort()).toEqual(["from tab-1", "from tab-2"]);
  }
  const shown = (reader: EventReader) => reader.events.filter(({ id }) => id && Number(id) <= last);
  expect(shown(other)).toEqual(shown(early));
  expect(shown(late)).toEqual(shown(early));
  expect(web.client.calls("follow")).toHaveLength(1);
});

it("goes on after Last-Event-ID without a gap or a double, also at a new server", async () => {
  const { web, session, say, browser } = await withSession();
  notices(10, say);
  const first = await browser.stream(path);
  await first.until(isEvent(10));
  first.close();
  notices(5, say, 11);
  const second = await browser.stream(path, { "Last-Event-ID": "10" });
  await second.until(isState);
  expect(second.ids).toEqual(range(11, 15));
  expect(second.events.map(({ name }) => name)).not.toContain("begin");
  expect(second.events.map(({ name }) => name)).not.toContain("resync");

  await web.server.close();
  await second.ended;
  notices(5, say, 16);
  const again = await startWebServer({
    home: web.home,
    client: web.client,
    pageFolder: testPage(web.home),
    port: web.port,
    version: "1",
    person: "ann@here",
    startSession: async () => ({ sessionId: "" }),
    newSessionOptions: async () => ({ folders: [] }),
    addProjectRule: async () => undefined,
    log: () => undefined,
  });
  try {
    // The cookie is still good: it is of the device, not of the process.
    const third = await browser.stream(path, { "Last-Event-ID": "15" });
    await third.until(isState);
    say("live");
    await third.until(isEvent(21));
    expect(third.ids).toEqual(range(16, 21));
    expect(session.events).toHaveLength(21);
  } finally {
    await again.close();
  }
});

it("refuses a Last-Event-ID that is none, and tells all anew after one from the future (B22)", async () => {
  const { say, browser } = await withSession();
  notices(5, say);
  for (const wrong of ["-1", "abc", "1.5", "1e3", " ", "99999999999999999999"]) {
    await expect(browser.stream(path, { "Last-Event-ID": wrong })).rejects.toThrow("status 400");
    await expect(browser.stream(`${path}?after=${encodeURIComponent(wrong)}`)).rejects.toThrow("status 400");
  }
  const ahead = await browser.stream(path, { "Last-Event-ID": "6" });
  await ahead.until(isState);
  expect(ahead.events.slice(0, 2).map(({ name }) => name)).toEqual(["resync", "begin"]);
  expect(ahead.ids).toEqual(range(1, 5));
  const after = await browser.stream(`${path}?after=3`);
  await after.until(isState);
  expect(after.ids).toEqual([4, 5]);
  const both = await browser.stream(`${path}?after=1`, { "Last-Event-ID": "4" });
  await both.until(isState);
  expect(both.ids).toEqual([5]);
});

it("gives who comes late the text so far in one piece, and nothing of what is over", async () => {
  const { session, browser } = await withSession();
  const early = await browser.stream(path);
  session.event({ type: "turn_start", turn: 1 });
  await early.until(isEvent(1));
  const text = (offset: number, tail: string) => session.frame("model:1", [{ index: 0, kind: "text", offset, tail }]);
  text(0, "Hello ");
  text(6, "you ");
  session.frame("1.1", [{ index: 0, kind: "output", offset: 0, tail: "out" }]);
  await early.until(({ data }) => data.frame?.source === "1.1");
  const late = await browser.stream(path);
  await late.until(({ data }) => data.frame?.source === "1.1");
  expect(late.events.filter(({ name }) => name === "live").map(({ data }) => data.frame.blocks)).toEqual([
    [{ index: 0, kind: "text", offset: 0, tail: "Hello you " }],
    [{ index: 0, kind: "output", offset: 0, tail: "out" }],
  ]);
  text(10, "there");
  await late.until(({ data }) => data.frame?.blocks[0].tail === "there");
  session.message(answerMessage("Hello you there"));
  text(15, "too late");
  session.event({ type: "notice", text: "after" });
  await early.until(isEvent(3));
  expect(JSON.stringify(early.events)).not.toContain("too late");
  const last = await browser.stream(path);
  await last.until(({ name }) => name === "live");
  expect(last.events.filter(({ name }) => name === "live").map(({ data }) => data.frame.source)).toEqual(["1.1"]);
});

it("goes on by itself when a closed session is opened again", async () => {
  const { web, session, say, browser } = await withSession();
  say("one");
  session.summary.closedAt = Date.now();
  session.become("idle");
  const reader = await browser.stream(path);
  await reader.until(({ name }) => name === "closed");
  const seen = session.events.length;
  session.summary.runId = "run-2";
  await browser.post("/api/sessions/k7f3qd/send", { id: "a", text: "go on", delivery: "steer" });
  await reader.until(({ data }) => data.event?.type === "agent_end");
  expect(reader.ids).toEqual(range(1, session.events.length));
  expect(session.events.length).toBeGreaterThan(seen);
  expect(web.client.calls("follow").map(([, , after]) => after)).toEqual([undefined, seen]);
});

it("says that no worker answers, before anything was read", async () => {
  const { web, browser } = await withSession();
  web.client.follow = async function* (_id, { signal }) {
    yield { kind: "offline", offline: true, why: "no worker" };
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  for (const more of ["", "?after=7"]) {
    const reader = await browser.stream(`${path}${more}`);
    await reader.until(({ name }) => name === "offline");
    expect(reader.events).toEqual([{ name: "offline", data: { kind: "offline", offline: true, why: "no worker" } }]);
  }
});

it("is 404 for a session that does not exist", async () => {
  const { browser } = await withSession();
  await expect(browser.stream("/api/sessions/zzzzzz/stream")).rejects.toThrow("status 404");
});

it("opens 20 streams for a device and 100 in all (B23)", async () => {
  const { web, browser } = await withSession();
  const readers: EventReader[] = [];
  for (let at = 0; at < 20; at++) readers.push(await browser.stream(at % 2 ? path : "/api/sessions/stream"));
  await expect(browser.stream(path)).rejects.toThrow("status 429");
  readers.pop()!.close();
  await expect.poll(async () => await browser.stream(path).then(() => 200, String), { timeout: 5_000 }).toBe(200);
  for (let device = 0; device < 4; device++) {
    const other = await Browser.signedIn(web);
    for (let at = 0; at < 20; at++) await other.stream("/api/sessions/stream");
  }
  await expect((await Browser.signedIn(web)).stream("/api/sessions/stream")).rejects.toThrow("status 429");
});

it("drops a reader that reads nothing, and nobody else notices (B23)", async () => {
  const { web, session, browser } = await withSession();
  const good = await browser.stream(path);
  await good.until(isState);
  const socket = connect(web.port, "127.0.0.1");
  await new Promise<void>((resolve) => {
    socket.once("data", () => {
      socket.pause();
      resolve();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\nCookie: ${browser.cookie}\r\n\r\n`);
  });
  const dropped = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => undefined);
  const large = "x".repeat(256 * 1024);
  for (let at = 1; at <= 80; at++) {
    session.event({ type: "notice", text: `${at} ${large}` });
    await good.until(isEvent(at));
  }
  // The end is seen only by who reads.
  socket.resume();
  await dropped;
  expect(socket.bytesRead).toBeLessThan(15 * 1024 * 1024);
  expect(good.ids).toEqual(range(1, 80));
});

it("keeps a bounded part of a session, and reads the rest from the session (B23)", async () => {
  const web = await testWeb({ timing: { keptCharacters: 20_000 } });
  const session = web.client.add("k7f3qd", {});
  for (let at = 1; at <= 200; at++) session.event({ type: "notice", text: `${at} ${"x".repeat(200)}` });
  const browser = await Browser.signedIn(web);
  const reader = await browser.stream(path);
  await reader.until(isState);
  const first = reader.ids[0]!;
  expect(first).toBeGreaterThan(100);
  expect(reader.events[0]!.data).toEqual({ kind: "begin", first });
  expect(reader.ids).toEqual(range(first, 200));
  const resumed = await browser.stream(path, { "Last-Event-ID": "5" });
  await resumed.until(isState);
  expect(resumed.events[0]!.name).toBe("resync");
  const earlier = (await (await browser.get(`/api/sessions/k7f3qd/events?before=${first}`)).json()) as {
    event: { seq: number };
  }[];
  expect(earlier.map(({ event }) => event.seq)).toEqual(range(1, first - 1));
});

it("opens a session of 5,000 events in less than two seconds", async () => {
  const { session, browser } = await withSession();
  for (let at = 1; at <= 5_000; at++) session.event({ type: "notice", text: `notice ${at}` });
  const started = Date.now();
  const reader = await browser.stream(path);
  await reader.until(isState);
  expect(Date.now() - started).toBeLessThan(2_000);
  expect(reader.ids).toEqual(range(1, 5_000));
});

it("sends a comment now and then, so that a dead connection is noticed", async () => {
  const web = await testWeb({ timing: { beatMs: 20 } });
  const browser = await Browser.signedIn(web);
  const reader = await browser.stream("/api/sessions/stream");
  let raw = "";
  await new Promise<void>((resolve) =>
    reader.response.on("data", (chunk: string) => {
      raw += chunk;
      if (/(?:^|\n):\n\n/.test(raw)) resolve();
    }),
  );
});

it("stops to watch when nobody reads any more, and begins anew", async () => {
  const web = await testWeb({ timing: { lingerMs: 10 } });
  const stopped: Promise<void>[] = [];
  const watch = web.client.watch.bind(web.client);
  web.client.watch = (signal) => {
    stopped.push(new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
    return watch(signal);
  };
  const browser = await Browser.signedIn(web);
  (await browser.stream("/api/sessions/stream")).close();
  await expect.poll(() => stopped.length).toBe(1);
  await stopped[0];
  web.client.add("k7f3qd", {});
  const reader = await browser.stream("/api/sessions/stream");
  const { data } = await reader.until(({ name }) => name === "overview");
  expect(data.sessions).toHaveLength(1);
  expect(stopped).toHaveLength(2);
});
