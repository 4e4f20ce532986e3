import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileChanges, patchesOf } from "../../agent/session-account.ts";
import type { SessionAccount } from "../../client/contract.ts";
import { UserError } from "../../config/errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkIdShape } from "../ids.ts";
import { noSessionHere, pickSession } from "../pick-session.ts";
import { diffLines } from "../render/diff.ts";
import type { CliServices } from "../services.ts";
import { type Line, line, paint, span } from "../text/line.ts";
import { type Look, lookOf } from "../text/look.ts";
import { sanitiseLine } from "../text/sanitise.ts";
import { withClient } from "./with-client.ts";

/** What the edits of a session changed, file by file, as its history recorded them: also when the files are others by now. */
export async function diffCommand(
  services: CliServices,
  id: string | undefined,
  path: string | undefined,
): Promise<number> {
  if (id !== undefined) checkIdShape(id);
  else if (!services.hasSessions()) throw noSessionHere();
  return withClient(
    services,
    async (client) => {
      const sessionId = await pickSession(client, services, id, { command: "diff", fits: () => true });
      const look = lookOf(services.stdout, services.environment);
      const lines = changeLines(await client.account(sessionId, { recorded: true }), sessionId, path, look);
      await page(services, lines.map((row) => `${paint(row, look)}\n`).join(""));
      return exitCodes.answered;
    },
    { reading: true },
  );
}

function changeLines(account: SessionAccount, sessionId: string, path: string | undefined, look: Look): Line[] {
  const { messages, summary } = account;
  const patches = [...patchesOf(messages)];
  const same = (named: string) => resolve(summary.cwd, named) === resolve(summary.cwd, path!) || named === path;
  const wanted = path === undefined ? patches : patches.filter(([named]) => same(named));
  if (patches.length === 0) return [line(`${sessionId} changed no files by edit or write.`)];
  if (wanted.length === 0) {
    const names = patches.map(([named]) => sanitiseLine(named));
    throw new UserError(`${sessionId} did not change ${JSON.stringify(path)}; it changed ${names.join(", ")}.`, {
      exitCode: exitCodes.usage,
      next: `tempi diff ${sessionId} ${names[0]}`,
    });
  }
  const counts = new Map(fileChanges(messages).map((change) => [change.path, change]));
  return wanted.flatMap(([named, parts], index) => {
    const { added = 0, removed = 0 } = counts.get(named) ?? {};
    const head = line(
      span(sanitiseLine(named), "bold"),
      span(`  +${added} ${look.unicode ? "−" : "-"}${removed}`, "dim"),
    );
    return [...(index === 0 ? [] : [[]]), head, ...parts.flatMap((patch) => diffLines(patch, look, { indent: "" }))];
  });
}

/** Through the person's pager where there is a terminal; one that cannot run, or was left early, loses nothing. */
async function page(services: CliServices, text: string): Promise<void> {
  const pager = services.environment.PAGER ?? "less";
  if (!services.stdout.isTTY || pager === "" || pager === "cat") return void services.stdout.write(text);
  const ran = await new Promise<boolean>((settle) => {
    // As git sets it: colours as they are, and no pager for what fits on the screen.
    const env = { LESS: "FRX", ...services.environment };
    const child = spawn("/bin/sh", ["-c", pager], { stdio: ["pipe", "inherit", "inherit"], env });
    child.once("error", () => settle(false));
    // 127: the shell did not find it.
    child.once("close", (code) => settle(code !== 127));
    child.stdin.once("error", () => undefined);
    child.stdin.end(text);
  });
  if (!ran) services.stdout.write(text);
}
