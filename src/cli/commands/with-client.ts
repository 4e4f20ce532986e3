import { UserError } from "../../config/errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { sessionStart } from "../follow/json-presenter.ts";
import type { CliServices, ConnectedClient } from "../services.ts";
import { type Line, line, paint, wrap } from "../text/line.ts";
import { lookOf } from "../text/look.ts";
import { safeJson } from "../text/sanitise.ts";

/** Runs with a connection and gives it back however it ends. */
export async function withClient<T>(
  services: CliServices,
  run: (client: ConnectedClient) => Promise<T>,
  options: { yes?: boolean; reading?: boolean } = {},
): Promise<T> {
  const client = await services.connect(options);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

/** A command inside a session must not start, approve or change sessions. Not a boundary: it stops accidents. */
export function refuseInsideSession(services: CliServices, command: string): void {
  if (!services.environment.TEMPI_SESSION) return;
  throw new UserError(`${command} is refused inside a session's own commands.`, {
    exitCode: exitCodes.usage,
    next: "run it from your own shell",
  });
}

export function print(services: CliServices, rows: readonly Line[], stream: "stdout" | "stderr" = "stdout"): void {
  const out = services[stream];
  const look = lookOf(out, services.environment);
  for (const row of rows) out.write(`${paint(row, look)}\n`);
}

/** What `--detach` prints: the id alone, or with `--json` the event a follower would have begun with. */
export function sayStarted(services: CliServices, sessionId: string, flags: { json?: boolean }): void {
  services.stdout.write(`${flags.json ? safeJson(sessionStart(sessionId)) : sessionId}\n`);
}

/** A remark on stderr, wrapped where stderr is a terminal. */
export const say = (services: CliServices, text: string): void => {
  const look = lookOf(services.stderr, services.environment);
  print(services, wrap(line(text), look.width), "stderr");
};
