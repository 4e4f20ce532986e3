import axe from "axe-core";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { openPage } from "./browser.ts";
import type { Cli } from "./cli.ts";

/** Opens the page by the link that `tempi web` prints. */
export async function openTempi(
  cli: Cli,
  context: BrowserContext,
): Promise<{ page: Page; errors: string[]; link: string }> {
  const { stdout, stderr, code } = await cli.run("web");
  if (code !== 0) throw new Error(`tempi web: ${stderr}`);
  const link = stdout.trim();
  return { ...(await openPage(context, link)), link };
}

/** The card of a call, by its summary. */
export const cardOf = (page: Page, summary: string): Locator =>
  page
    .getByRole("article")
    .filter({ has: page.getByText(summary, { exact: true }) })
    .first();

/** Presses a button of a card as soon as the page lets it: a card takes a click only when it has stood for a moment. */
export async function press(card: Locator, name: string | RegExp): Promise<void> {
  const button = card.getByRole("button", { name });
  await button.and(card.page().locator('[aria-disabled="false"], :not([aria-disabled])')).click();
}

/** What axe finds wrong, one line each. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  });
  return found;
}
