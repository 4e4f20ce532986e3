import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { Context } from "@temporalio/activity";
import type { NotifyInput, NotifyResult } from "../src/protocol/activities.ts";
import { boundErrorText } from "./bounds.ts";
import type { ActivityServices } from "./services.ts";
import { withoutStack } from "./without-stack.ts";

const patienceMs = 10_000;

/** An answer that another try will not change. */
class FinalFailure extends Error {}

/**
 * Tells the command and the URL of the user's configuration that a session waits, is blocked or ended. Both get the same JSON. Of failures only those of the
 * URL that may pass (5xx, network) are tried again, by the engine; the command runs once. Neither address nor command is named in a
 * failure: history keeps it, and such URLs are often secrets.
 */
export const notifyActivity =
  (services: ActivityServices) =>
  async (input: NotifyInput): Promise<NotifyResult> => {
    const { command, url, page } = services.notifyTargets();
    const { v: _, kind, sessionId, cwd, title, ...more } = input;
    const link = page === undefined ? {} : { page: `${page}/s/${sessionId}` };
    const body = JSON.stringify({ v: 1, event: kind, sessionId, title, cwd, ...more, ...link });
    const context = Context.current();
    const told: NotifyResult["told"] = [];
    const failures: Error[] = [];
    const attempt = async (name: "command" | "url", tell: () => Promise<void>) => {
      try {
        await tell();
        told.push(name);
      } catch (error) {
        failures.push(error as Error);
      }
    };
    // A command that ran in an earlier attempt must not run again because the URL failed.
    const before: unknown = context.info.heartbeatDetails;
    if (before === "told") told.push("command");
    if (command !== undefined) {
      const ran = before === "told" || before === "failed";
      if (!ran) await attempt("command", () => run(command, body, { TEMPI_SESSION: sessionId, TEMPI_EVENT: kind }));
      context.heartbeat(told.includes("command") ? "told" : "failed");
    }
    if (url !== undefined) await attempt("url", () => post(url, body));
    if (failures.length === 0) return { v: 1, told };
    throw withoutStack({
      type: "Notify.Failed",
      message: boundErrorText(failures.map(({ message }) => message).join("; ")),
      nonRetryable: failures.every((failure) => failure instanceof FinalFailure),
    });
  };

/** Whether the user's configuration names anybody. */
export function hasTargets(services: Pick<ActivityServices, "notifyTargets">): boolean {
  const { command, url } = services.notifyTargets();
  return command !== undefined || url !== undefined;
}

async function post(url: string, body: string): Promise<void> {
  let status: number;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      // To follow one would send what waits to an address that nobody configured.
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMs),
    });
    await response.body?.cancel();
    status = response.status;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    const why = name === "TimeoutError" ? `gave no answer in ${patienceMs / 1000} s` : "cannot be reached";
    throw new Error(`notify.url ${why}${cause?.code ? ` (${cause.code})` : ""}`);
  }
  if (status >= 200 && status < 300) return;
  const text = `notify.url answered ${status}`;
  throw status >= 500 ? new Error(text) : new FinalFailure(text);
}

/** In the home folder: a relative path in the command must not find a file of the repository. */
function run(command: string, body: string, variables: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: homedir(),
      env: { ...process.env, ...variables },
      stdio: ["pipe", "ignore", "ignore"],
      // A group of its own, so that a time-out ends what it started, too.
      detached: true,
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // It ended in this moment.
      }
    }, patienceMs);
    child.once("error", ({ message }) => {
      clearTimeout(timer);
      reject(new FinalFailure(`notify.command cannot be started: ${message}`));
    });
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else if (late) reject(new FinalFailure(`notify.command was stopped after ${patienceMs / 1000} s`));
      else reject(new FinalFailure(`notify.command ended with ${signal ?? `exit code ${code}`}`));
    });
    // A command that does not read its input is none the worse.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${body}\n`);
  });
}
