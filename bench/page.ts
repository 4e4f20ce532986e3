/**
 * How fast the page opens: weight, first paint, a long real session, scrolling; the Temporal UI with the same history beside it. One JSON
 * line; bench/README.md says what the fields mean.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { startInstantModel } from "./instant-model.ts";

const { values: flags } = parseArgs({ options: { turns: { type: "string", default: "313" } } });
const turns = Number(flags.turns);
const folder = mkdtempSync(join(tmpdir(), "tempi-bench-page-"));
const workspace = join(folder, "workspace");
const program = fileURLToPath(new URL("../bin/tempi", import.meta.url));
const pageFolder = fileURLToPath(new URL("../dist/page", import.meta.url));
mkdirSync(workspace);
writeFileSync(join(workspace, "data.txt"), `${"x".repeat(63)}\n`.repeat(16));
const model = await startInstantModel({ turns, callsPerTurn: 3, file: "data.txt" });
const environment = {
  ...process.env,
  TEMPI_HOME: join(folder, "home"),
  OPENAI_API_KEY: "bench",
  OPENAI_BASE_URL: model.baseUrl,
};
const tempi = async (...args: string[]): Promise<string> => {
  const options = { cwd: workspace, env: environment, maxBuffer: 256 << 20 };
  return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout;
};

try {
  const run = ["run", "--json", "--approval", "auto", "--model", "instant", "--max-turns", String(turns + 5), "go"];
  const events = (await tempi(...run)).split("\n").filter((line) => line.includes('"seq":')).length;
  const link = (await tempi("web")).trim();
  const { temporalUi } = JSON.parse(await tempi("status", "--json")) as { temporalUi: { url: string } };
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: process.env.TEMPI_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"],
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("link", { name: "go" }).first().waitFor();
  // Signed in by now: from here on as on every later visit.
  const began = performance.now();
  await page.goto(new URL("/", link).href);
  await page.getByRole("link", { name: "go" }).first().waitFor();
  const liveMs = performance.now() - began;
  const firstPaintMs = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0].startTime",
  );
  const clicked = performance.now();
  await page.getByRole("link", { name: "go" }).first().click();
  await page
    .getByRole("log")
    .getByText(/done|finished|answer/i)
    .last()
    .waitFor({ timeout: 60_000 });
  const openMs = performance.now() - clicked;
  const frames = await scrollUp(page);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const other = await context.newPage();
  const asked = performance.now();
  await other.goto(`${temporalUi.url}/namespaces/default/workflows/session-${id}`);
  await other
    .getByText("History Size")
    .last()
    .waitFor({ timeout: 60_000 })
    .catch(() => undefined);
  const temporalUiMs = performance.now() - asked;
  await context.close();
  const files = readdirSync(pageFolder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
  const weightBytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(pageFolder, name))).length, 0);
  const round = Math.round;
  console.log(
    JSON.stringify({
      weightBytes,
      firstPaintMs: round(firstPaintMs),
      liveMs: round(liveMs),
      events,
      openMs: round(openMs),
      ...frames,
      temporalUiMs: round(temporalUiMs),
    }),
  );
} finally {
  await tempi("down");
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds between frames while the wheel turns through the transcript. */
async function scrollUp(page: Page): Promise<{ frameP50Ms: number; frameP95Ms: number }> {
  await page.getByRole("log").hover();
  await page.evaluate(`
    window.frames_ = [];
    let before = performance.now();
    const frame = (now) => { window.frames_.push(now - before); before = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  `);
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, -600);
  const frames = (await page.evaluate<number[]>("window.frames_.slice(1)")).sort((a, b) => a - b);
  const at = (part: number) => Math.round(frames[Math.floor((frames.length - 1) * part)]! * 10) / 10;
  return { frameP50Ms: at(0.5), frameP95Ms: at(0.95) };
}
