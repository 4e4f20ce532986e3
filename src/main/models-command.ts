import { thousands } from "../agent/format.ts";
import { errorLine } from "../config/errors.ts";
import { isLoopback } from "../config/providers.ts";
import type { MachineContext } from "./machine-commands.ts";
import { modelEndpoints } from "./model-endpoints.ts";
import { type EndpointReport, needsMending, reportEndpoint } from "./models-report.ts";
import { loadCheckedConfig } from "./rules.ts";

/** Names of one endpoint that are printed; `--json` has all. */
const namesShown = 30;

/**
 * `tempi models`: what each provider that can be asked has, and whether the models that the configuration names are there.
 * Exit code 1 where something is to be mended.
 */
export async function modelsCommand(context: MachineContext, flags: { json?: boolean }): Promise<void> {
  const { home, environment } = context;
  const { values } = loadCheckedConfig(home, { environment });
  const { endpoints, withoutKey, fault } = modelEndpoints(values, environment);
  const asked = await Promise.all(endpoints.map((endpoint) => reportEndpoint(home, endpoint, environment)));
  // A server that would run on this machine and does not is nothing that anyone asked for.
  const reports = asked.filter(
    ({ configured, state, baseUrl }) => configured || state === "listed" || !isLoopback(baseUrl),
  );
  if (reports.some(needsMending) || fault || reports.length === 0) process.exitCode = 1;
  if (flags.json) {
    const told = fault ? { error: fault.message } : {};
    context.write(
      `${JSON.stringify({ providers: reports, withoutKey, aliases: values.aliases ?? {}, ...told }, null, 2)}\n`,
    );
    return;
  }
  for (const report of reports) for (const line of linesOf(report)) context.write(`${line}\n`);
  if (withoutKey.length > 0) {
    context.write(
      `without a key: ${withoutKey.map(({ provider, variable }) => `${provider} (${variable})`).join(", ")}\n`,
    );
  }
  if (fault) context.say(errorLine(fault));
  if (reports.length === 0) {
    context.say("tempi: no provider can be asked. Next: export OPENAI_API_KEY=... (or the one of another provider)");
  }
}

function linesOf(report: EndpointReport): string[] {
  const { provider, baseUrl, state, why, next, named, others } = report;
  const lines = [`${provider}  ${baseUrl}`];
  if (why) lines.push(`  ${needsMending(report) ? "✗" : "-"} ${why}${next ? `. Next: ${next}` : ""}`);
  for (const model of named) {
    const sign = model.exists === null ? "?" : model.exists ? "✓" : "✗";
    const missing = model.nearest ? [`not there; the nearest are ${model.nearest.join(", ")}`] : [];
    lines.push(`  ${sign} ${[model.model, ...missing, ...factsOf(model)].join(" · ")}`);
  }
  for (const model of others.slice(0, namesShown)) lines.push(`    ${[model.id, ...windowOf(model)].join(" · ")}`);
  if (others.length > namesShown) lines.push(`    and ${others.length - namesShown} more (tempi models --json)`);
  if (state === "unlisted" && named.length === 0) lines.push(`    use one with --model ${provider}/MODEL`);
  return lines;
}

const windowOf = ({ contextWindow }: { contextWindow?: number }): string[] =>
  contextWindow === undefined ? [] : [`window ${thousands(contextWindow)}`];

function factsOf(model: EndpointReport["named"][number]): string[] {
  const { price, maxOutput, aliases, isDefault } = model;
  return [
    ...windowOf(model),
    ...(maxOutput === undefined ? [] : [`output ${thousands(maxOutput)}`]),
    ...(price ? [`$${price.input} in, $${price.output} out per million`] : ["price unknown"]),
    ...(aliases.length > 0 ? [`alias ${aliases.join(", ")}`] : []),
    ...(isDefault ? ["default"] : []),
  ];
}
