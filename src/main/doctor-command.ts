import { checkMachine } from "./doctor-checks.ts";
import type { MachineContext } from "./machine-commands.ts";
import { statusReport } from "./status-command.ts";

/** Milliseconds: what is said to hang here is to be restarted, so it gets more time than at a look. */
const workerWaitMs = 2_000;

/** One line of `tempi doctor`. */
export interface Check {
  /** `undefined`: not wrong, but worth knowing. */
  ok: boolean | undefined;
  name: string;
  detail: string;
  /** Command that mends it. */
  next?: string;
}

/** `tempi doctor`: every check on a line; exit code 1 when one is not met. */
export async function doctorCommand(context: MachineContext, flags: { report?: boolean }): Promise<void> {
  const status = await statusReport(context, workerWaitMs);
  const checks = await checkMachine(context, status);
  for (const { ok, name, detail, next } of checks) {
    const mark = ok === undefined ? "-" : ok ? "✓" : "✗";
    context.write(`${mark} ${name}: ${detail}${ok || next === undefined ? "" : `. Next: ${next}`}\n`);
  }
  if (flags.report) {
    const report = { node: process.version, platform: `${process.platform}-${process.arch}`, ...status };
    context.write(`\n${JSON.stringify(report, null, 2)}\n`);
  }
  if (checks.some(({ ok }) => ok === false)) process.exitCode = 1;
}
