import { createConnection } from "node:net";
import type { Home } from "../config/home.ts";
import { readWorkerFile } from "./up-state.ts";

/**
 * Whether the worker's event loop turns. A connection alone proves nothing: the system accepts it for a process that is stopped.
 * So a line is sent that is no JSON, at which the live server closes the connection at once. Undefined: it has no socket
 * (it could not be made, and the worker goes on without) or is not the process `pid`.
 */
export function workerAnswers(home: Home, pid: number, timeoutMs: number): Promise<boolean | undefined> {
  const file = readWorkerFile(home);
  if (!file?.socket || file.pid !== pid) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = createConnection(file.socket);
    const timer = setTimeout(() => end(false), timeoutMs);
    const end = (answer: boolean | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => socket.write("?\n"));
    // Data is an answer as well; without reading, the end would not be noticed either.
    socket.once("data", () => end(true));
    socket.once("end", () => end(true));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      // Closed with our line unread is an answer too. A full backlog is that of a worker that has accepted nothing for long.
      if (error.code === "EAGAIN") end(false);
      else end(error.code === "ECONNRESET" || error.code === "EPIPE" ? true : undefined);
    });
  });
}
