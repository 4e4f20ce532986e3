// A session that was started from the command line is answered on the page, in a real browser.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Overview } from "../../src/client/contract.ts";
import { openBrowser, openPage } from "../support/browser.ts";
import { bashAnswer, Cli } from "../support/cli.ts";
import { cardOf, openTempi, press } from "../support/web-page.ts";

const call = (name: string, args: Record<string, unknown>) => ({ calls: [{ name, arguments: args }] });

it("allows, denies with a reason the model reads, edits and allows; each runs as it was answered, and once", {
  timeout: 120_000,
}, async () => {
  const cli = new Cli();
  const model = cli.script([
    bashAnswer("echo one >> log"),
    { ...call("write", { path: "wrong.txt", content: "x\n" }) },
    { ...bashAnswer("echo two >> log"), expect: { lastIncludes: "put it elsewhere" } },
    { ...bashAnswer("echo three >> log"), expect: { lastIsError: false } },
    { text: "All is **done**." },
  ]);
  const started = await cli.run("run", "--detach", "--model", model, "mend the log");
  const id = started.stdout.trim();
  const { page, errors } = await openTempi(cli, await openBrowser());
  await press(cardOf(page, "echo one >> log"), /^Allow once: echo one/);

  const write = page.getByRole("article").filter({ hasText: "wrong.txt" });
  await write.getByText("x", { exact: true }).first().waitFor();
  await press(write, "Deny with a reason…");
  await write.getByLabel("The reason, as the model reads it").fill("put it elsewhere");
  await press(write, "Deny with this reason");

  const two = cardOf(page, "echo two >> log");
  await press(two, "Edit…");
  const text = two.getByLabel("The command");
  await expect.poll(() => text.inputValue()).toBe("echo two >> log");
  await text.fill("echo edited >> log");
  await press(two, "Allow edited");

  // The rule's words stand there before it is taken.
  const three = cardOf(page, "echo three >> log");
  await press(three, "Allow for this session…");
  await three.getByText("bash: echo three >> log").waitFor();
  await press(three, /^Allow in this session/);

  await page
    .getByRole("link", { name: /mend the log/ })
    .first()
    .click();
  await page.getByText("All is done.").first().waitFor();
  await page
    .getByText(/denied by .*put it elsewhere/)
    .first()
    .waitFor();
  await page
    .getByText(/edited/)
    .first()
    .waitFor();
  expect(cli.read("log")).toBe("one\nedited\nthree\n");
  expect(existsSync(join(cli.workspace, "wrong.txt"))).toBe(false);
  const shown = await cli.run("show", id);
  expect(shown.stdout).toMatch(/approvals: 3 allowed, 1 denied, by \S+@\S+/);
  expect(shown.stdout).toContain("allowed for this session: 1 bash: echo three >> log");
  expect(errors).toEqual([]);
});

it("shows two people and two tabs the same, and lets the first decision stand", { timeout: 90_000 }, async () => {
  const cli = new Cli();
  const model = cli.script([bashAnswer("echo one >> log"), { text: "finished" }]);
  await cli.run("run", "--detach", "--model", model, "two tabs");
  const context = await openBrowser();
  const { page, link } = await openTempi(cli, context);
  const { page: second } = await openPage(context, new URL("/", link).href);
  const { page: other } = await openPage(await openBrowser(), link);
  const cards = [page, second, other].map((tab) => cardOf(tab, "echo one >> log"));
  for (const card of cards) await card.getByRole("button", { name: /^Allow once/ }).waitFor();
  // A decision that comes second, from a page that has not heard of the first yet.
  await other.route("**/api/sessions/stream*", (route) => route.abort());
  await press(cards[0]!, /^Allow once: echo one/);
  for (const card of [cards[0]!, cards[1]!])
    await card
      .getByText(/allowed|decided/)
      .first()
      .waitFor();
  await expect.poll(() => existsSync(join(cli.workspace, "log"))).toBe(true);
  const answered = await other.evaluate(async () => {
    const { waiting, sessions } = (await (await fetch("/api/sessions")).json()) as Overview;
    return { waiting: waiting.length, state: sessions[0]?.state };
  });
  expect(answered.waiting).toBe(0);
  expect(cli.read("log")).toBe("one\n");
});

it("keeps what waits while the worker is killed, and runs it once when it is allowed then", {
  timeout: 90_000,
}, async () => {
  const cli = new Cli();
  const model = cli.script([bashAnswer("echo one >> log"), { text: "finished" }]);
  await cli.run("run", "--detach", "--model", model, "kill the worker");
  const { page } = await openTempi(cli, await openBrowser());
  const card = cardOf(page, "echo one >> log");
  await card.getByRole("button", { name: /^Allow once/ }).waitFor();
  process.kill((await cli.status()).worker.pid, "SIGKILL");
  await page.reload();
  await press(card, /^Allow once/);
  await page
    .getByRole("link", { name: /kill the worker/ })
    .first()
    .click();
  await page.getByText("finished").first().waitFor();
  expect(cli.read("log")).toBe("one\n");
});
