import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { UserError } from "../config/errors.ts";
import type { Home } from "../config/home.ts";
import type { UpState } from "./up-state.ts";

/** What can be asked of the supervisor, one JSON line each; it answers with one line. */
export type ControlRequest =
  | { cmd: "status" }
  /** Stops worker and server, then the supervisor. Answered at once: wait for the process to end. */
  | { cmd: "stop" }
  /** Ends the supervisor alone; the next one adopts its children. */
  | { cmd: "leave" }
  /** Not to leave by itself when idle any more. */
  | { cmd: "keep" }
  | { cmd: "restart-server" }
  /** `ifIdle`: only when no session is being worked on. `environment`: provider variables, added to the worker's. */
  | { cmd: "restart-worker"; environment?: Record<string, string>; ifIdle?: boolean }
  /**
   * Starts the web page anew, also where it was not to be started. What is given holds as long as the supervisor lives; null = neither
   * that nor what the configuration says.
   */
  | { cmd: "restart-web"; lan?: string | null; publicUrl?: string | null; ifNeeded?: boolean };

export type ControlAnswer =
  | { ok: true; state?: UpState }
  /** `busy`: sessions being worked on. */
  | { ok: false; busy: number }
  | { ok: false; error: string };

/** Path limit of Unix sockets: 104 bytes on a Mac, 108 on Linux. */
const maximumPathBytes = 100;

/** Path of a new control socket; in a folder of its own (0700) when the home's path is too long. */
export function chooseSocketPath(home: Home): string {
  const path = join(home.run, "control.sock");
  return Buffer.byteLength(path) <= maximumPathBytes
    ? path
    : join(mkdtempSync(join(tmpdir(), "tempi-")), "control.sock");
}

/** Serves requests until `close`, which also removes the socket. */
export async function serveControl(
  path: string,
  home: Home,
  handle: (request: ControlRequest) => Promise<ControlAnswer>,
): Promise<{ close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
      .on("line", (line) => {
        answer(line, handle).then(
          (text) => socket.writable && socket.write(`${JSON.stringify(text)}\n`),
          () => socket.destroy(),
        );
      })
      // It tells the socket's errors anew: an asker that is killed must not end the supervisor.
      .on("error", () => socket.destroy());
  });
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.end();
      rmSync(path, { force: true });
      if (dirname(path) !== home.run) rmSync(dirname(path), { recursive: true, force: true });
    },
  };
}

async function answer(
  line: string,
  handle: (request: ControlRequest) => Promise<ControlAnswer>,
): Promise<ControlAnswer> {
  try {
    return await handle(JSON.parse(line) as ControlRequest);
  } catch (error) {
    return { ok: false, error: (error as Error).message };
  }
}

/** Asks the supervisor. Throws UserError when it does not answer within `timeoutMs`. */
export function askSupervisor(state: UpState, request: ControlRequest, timeoutMs = 10_000): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(state.socket);
    const fail = (why: string) => {
      socket.destroy();
      reject(
        new UserError(`the supervisor (pid ${state.pid}) ${why}`, { next: `kill ${state.pid}; tempi up --detach` }),
      );
    };
    socket.setTimeout(timeoutMs, () => fail(`gave no answer in ${timeoutMs / 1000} s`));
    socket.once("error", (error) => fail(`cannot be reached: ${error.message}`));
    socket.once("connect", () => socket.write(`${JSON.stringify(request)}\n`));
    const lines = createInterface({ input: socket });
    // Heard at the socket; the reader passes it on as its own, and one that nobody hears ends the process.
    lines.on("error", () => undefined);
    lines.once("line", (line) => {
      socket.destroy();
      resolve(JSON.parse(line) as ControlAnswer);
    });
    lines.once("close", () => fail("closed the connection"));
    lines.once("error", () => fail("closed the connection"));
  });
}
