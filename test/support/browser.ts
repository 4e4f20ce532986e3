import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const executablePath = process.env.TEMPI_CHROMIUM ?? "/usr/bin/chromium";

export interface BrowserOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  /** Touch and a phone's width of 390 pixels. */
  phone?: boolean;
}

/** A real browser with a profile of its own, gone when the test ends. */
export async function openBrowser(options: BrowserOptions = {}): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), "tempi-browser-"));
  const { phone = false, width = phone ? 390 : 1280, height = phone ? 844 : 800 } = options;
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    viewport: { width, height },
    hasTouch: phone,
    colorScheme: options.dark ? "dark" : "light",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  context.setDefaultTimeout(15_000);
  onTestFinished(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }, 30_000);
  return context;
}

/** Opens an address in a new tab; what the page logs as an error fails the test by `expectQuiet`. */
export async function openPage(context: BrowserContext, url: string): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}
