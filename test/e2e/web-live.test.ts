// What streams is seen on the page as it grows, whatever dies in the middle; nothing is doubled and nothing is lost.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { Cli } from "../support/cli.ts";
import { openTempi } from "../support/web-page.ts";

const words = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `w${from + at}`).join(" ");

/** A session that streams 120 words over some seconds, opened on the page; resolves in mid-stream. */
async function streaming(cli: Cli): Promise<{ page: Page; id: string; errors: string[] }> {
  const model = cli.script([{ text: words(1, 120), chunkMs: 60 }, { text: "and more" }]);
  const { page, errors } = await openTempi(cli, await openBrowser());
  const { stdout } = await cli.run("run", "--detach", "--model", model, "stream");
  const id = stdout.trim();
  await page
    .getByRole("link", { name: /^.*stream/ })
    .first()
    .click();
  await page.getByRole("log").getByText("w12").waitFor();
  return { page, id, errors };
}

/** The answer's words once the session is done: each exactly once, in order. */
async function whole(page: Page): Promise<void> {
  await page.getByRole("log").getByText("w120").waitFor({ timeout: 30_000 });
  await page.getByText("idle").first().waitFor({ timeout: 30_000 });
  const texts = await page.getByRole("log").locator("p").allTextContents();
  expect(texts.join("\n").match(/\bw\d+\b/g)).toEqual(words(1, 120).split(" "));
}

it("goes on after a reload in mid-stream", { timeout: 90_000 }, async () => {
  const { page, errors } = await streaming(new Cli());
  await page.reload();
  await page.getByRole("log").getByText("w12").waitFor();
  await whole(page);
  expect(errors).toEqual([]);
});

it("goes on by itself after the web server was killed in mid-stream, on the same address", {
  timeout: 90_000,
}, async () => {
  const cli = new Cli();
  const { page } = await streaming(cli);
  const { pid } = JSON.parse(readFileSync(join(cli.home, "run", "web.json"), "utf8"));
  process.kill(pid, "SIGKILL");
  await whole(page);
  // The other tabs of the same address are still signed in.
  expect(await page.evaluate(async () => (await fetch("/api/me")).status)).toBe(200);
});

it("goes on by itself after the Temporal server was killed in mid-stream", { timeout: 90_000 }, async () => {
  const cli = new Cli();
  const { page } = await streaming(cli);
  process.kill((await cli.status()).server.pid, "SIGKILL");
  await whole(page);
});
