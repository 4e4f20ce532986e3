import { UserError } from "../config/errors.ts";
import { listDevices, revokeDevice } from "../web/access/devices.ts";
import type { MachineContext } from "./machine-commands.ts";
import { refuseInsideSession } from "./web-command.ts";

/** `tempi web devices`: browsers that may use the page, newest first; `--revoke` takes it back from one. */
export function webDevicesCommand(context: MachineContext, flags: { revoke?: string }): void {
  refuseInsideSession(context);
  if (flags.revoke !== undefined) {
    if (!revokeDevice(context.home, flags.revoke)) {
      throw new UserError(`there is no device ${JSON.stringify(flags.revoke)}`, { next: "tempi web devices" });
    }
    context.say(`device ${flags.revoke} is shut out`);
    return;
  }
  const devices = listDevices(context.home);
  if (devices.length === 0) {
    context.say("no device yet. Next: tempi web, or tempi web --lan for a phone");
    return;
  }
  const rows = devices.map(({ id, name, createdAt, lastSeenAt }) => [
    id,
    name,
    timeText(createdAt),
    timeText(lastSeenAt),
  ]);
  for (const row of withWidths([["id", "name", "since", "last seen"], ...rows])) context.write(`${row}\n`);
  context.say("Next: tempi web devices --revoke ID");
}

/** Local time to the minute. */
function timeText(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function withWidths(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
