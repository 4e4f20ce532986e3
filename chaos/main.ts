/** `npm run chaos`: see README.md. Progress on stderr, one JSON line on stdout, exit code 0 only when nothing is broken and something hit. */
import { writeFileSync } from "node:fs";
import { DefaultLogger, Runtime } from "@temporalio/worker";
import { readOptions } from "./options.ts";
import { isGood, reportOf } from "./report.ts";
import { runChaos } from "./run-chaos.ts";

Runtime.install({ shutdownSignals: [], logger: new DefaultLogger("ERROR", () => undefined) });
// So that the run's own end is heard and nothing of it is left.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const began = Date.now();
const say = (text: string): void => console.error(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
const options = readOptions(process.argv.slice(2));
const evidence = await runChaos(options, say);
const report = reportOf(evidence);
if (process.env.CHAOS_EVIDENCE) {
  const plain = { ...evidence, files: Object.fromEntries(evidence.files) };
  writeFileSync(process.env.CHAOS_EVIDENCE, JSON.stringify(plain));
}
if (report.faultsThatHit === 0) say("invalid: no fault hit a call or a stream");
console.log(JSON.stringify(report));
process.exit(isGood(report) ? 0 : 1);
