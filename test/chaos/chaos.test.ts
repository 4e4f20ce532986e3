import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, inject, it, onTestFinished } from "vitest";
import type { Report } from "../../chaos/report.ts";
import { repositoryRoot } from "../rules/project-files.ts";

/** One run as `npm run chaos` makes it. The whole quick form takes minutes; these few faults show that it works and that it sees. */
async function chaos(...args: string[]): Promise<{ code: number; report: Report; said: string }> {
  const child = spawn(process.execPath, ["chaos/main.ts", ...args], {
    cwd: repositoryRoot,
    env: { ...process.env, TEMPI_TEMPORAL_CLI: inject("temporalCli") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGTERM"));
  const [stdout, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`no report:\n${said}`);
  return { code, report: JSON.parse(line), said };
}

it("nothing is lost or doubled by a few faults placed by chance (F01, F04–F08, F14, F25)", {
  timeout: 240_000,
}, async () => {
  const { code, report, said } = await chaos("--seed", "11", "--sessions", "5", "--kills", "5");
  const broken = Object.entries(report.invariants).filter(([, { broken }]) => broken > 0);
  expect(broken, said).toEqual([]);
  expect(report).toMatchObject({ faultsPlaced: 5, lost: 0, doubled: 0, stuck: 0, halfWritten: 0 });
  expect(report.faultsThatHit).toBeGreaterThan(0);
  expect(code).toBe(0);
});

it("sees that something is missing: without lock and comparison updates are lost", { timeout: 180_000 }, async () => {
  const { code, report } = await chaos("--seed", "3", "--sessions", "8", "--kills", "2", "--break", "mutex");
  expect(report.invariants["I5 updates"]!.broken).toBeGreaterThan(0);
  expect(code).toBe(1);
});
