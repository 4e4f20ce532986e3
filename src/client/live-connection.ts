import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Home } from "../config/home.ts";
import type { LiveMessage } from "../protocol/live.ts";
import { livingWorker } from "./worker-state.ts";

/** Keeps a subscription to the worker's live socket; reconnects to whichever worker lives. `*` = hints of all sessions, no text. */
export class LiveConnection {
  readonly #home: Home;
  readonly #sessionId: string;
  readonly #onMessage: (message: LiveMessage) => void;
  #socket: Socket | undefined;
  /** Pid of the worker this is (or was last) connected to. */
  #pid: number | undefined;
  readonly #onWorkerChanged: () => void;

  constructor(options: {
    home: Home;
    sessionId: string;
    onMessage: (message: LiveMessage) => void;
    onWorkerChanged: () => void;
  }) {
    this.#home = options.home;
    this.#sessionId = options.sessionId;
    this.#onMessage = options.onMessage;
    this.#onWorkerChanged = options.onWorkerChanged;
  }

  /** Connects if it is not connected and a worker lives. Cheap; call it whenever there is a reason to look. */
  ensure(): void {
    if (this.#socket) return;
    const worker = livingWorker(this.#home);
    if (!worker) return;
    if (this.#pid !== undefined && this.#pid !== worker.pid) this.#onWorkerChanged();
    this.#pid = worker.pid;
    const socket = createConnection(worker.socket);
    this.#socket = socket;
    const forget = () => {
      if (this.#socket === socket) this.#socket = undefined;
    };
    socket.on("error", forget);
    socket.on("close", forget);
    socket.on("connect", () => socket.write(`${JSON.stringify({ subscribe: [this.#sessionId] })}\n`));
    const lines = createInterface({ input: socket });
    // The reader passes the socket's errors on as its own, and one that nobody hears ends the process.
    lines.on("error", forget);
    lines.on("line", (line) => {
      try {
        this.#onMessage(JSON.parse(line) as LiveMessage);
      } catch {
        socket.destroy();
      }
    });
  }

  get connected(): boolean {
    return this.#socket?.readyState === "open";
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}
