import { createHmac } from "node:crypto";
import { knownProviders } from "./provider-table.ts";

const keyVariables = new Set(Object.values(knownProviders).flatMap((known) => known.keyVariable ?? []));

/** Whether a variable is one that the worker needs to reach a provider. */
export const isProviderVariable = (name: string, extra: readonly string[] = []): boolean =>
  keyVariables.has(name) || /^[A-Z0-9_]+_BASE_URL$/.test(name) || extra.includes(name);

/**
 * The caller's variables that name or open providers: customary key variables, `*_BASE_URL`, and those that
 * configuration names (`extra`). Empty ones are left out.
 */
export function providerEnvironment(
  environment: NodeJS.ProcessEnv,
  extra: readonly string[] = [],
): Record<string, string> {
  const entries = Object.entries(environment).filter(([name, value]) => value && isProviderVariable(name, extra));
  return Object.fromEntries(entries) as Record<string, string>;
}

/** HMAC per variable (first 16 hex digits): tells whether a value changed, and nothing about it. */
export const fingerprintOf = (variables: Record<string, string>, key: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      createHmac("sha256", key).update(`${name}=${value}`).digest("hex").slice(0, 16),
    ]),
  );

/**
 * Names of the caller's variables that the worker has with another value or lacks. Variables that only the worker has are
 * no difference: a terminal without any key must not take the keys away from sessions that wait.
 */
export const differingNames = (caller: Record<string, string>, worker: Record<string, string>): string[] =>
  Object.keys(caller)
    .filter((name) => caller[name] !== worker[name])
    .sort();
