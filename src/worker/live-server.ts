import { mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { LiveHub, LiveSource } from "../../activities/services.ts";
import { allSessions, type LiveFrame, type LiveMessage, type Subscribe } from "../protocol/live.ts";
import { LiveText } from "./live-source.ts";

/** A watcher that does not read this much is dropped; it reconnects and starts from the state it then finds. */
const unreadBytes = 4 * 1024 * 1024;

/** The worker's live socket: what runs here is streamed to whoever subscribed to its session. */
export class LiveServer implements LiveHub {
  readonly #path: string;
  readonly #server: Server;
  readonly #watchers = new Map<Socket, Set<string>>();
  readonly #open = new Map<string, LiveText>();

  constructor(path: string) {
    this.#path = path;
    this.#server = createServer((socket) => this.#welcome(socket));
  }

  /** Rejects when the socket cannot be made; the worker goes on without live text then. */
  async listen(): Promise<void> {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    rmSync(this.#path, { force: true });
    const before = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once("error", reject);
        this.#server.listen(this.#path, resolve);
      });
    } finally {
      process.umask(before);
    }
  }

  open(sessionId: string, source: string, attempt: number): LiveSource {
    const key = `${sessionId} ${source}`;
    const text = new LiveText({ sessionId, source, attempt }, (frame) => {
      if (frame.done && this.#open.get(key) === text) this.#open.delete(key);
      this.#broadcast(frame);
    });
    this.#open.set(key, text);
    return text;
  }

  changed(sessionId: string, last: number): void {
    this.#broadcast({ type: "changed", sessionId, last });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#watchers.keys()) socket.destroy();
    rmSync(this.#path, { force: true });
  }

  #welcome(socket: Socket): void {
    this.#watchers.set(socket, new Set());
    const forget = () => this.#watchers.delete(socket);
    socket.on("close", forget);
    socket.on("error", forget);
    const lines = createInterface({ input: socket });
    // The reader passes the socket's errors on as its own, and one that nobody hears ends the process.
    lines.on("error", forget);
    lines.on("line", (line) => this.#subscribe(socket, line));
  }

  #subscribe(socket: Socket, line: string): void {
    let request: Partial<Subscribe>;
    try {
      request = JSON.parse(line) as Partial<Subscribe>;
    } catch {
      socket.destroy();
      return;
    }
    if (!Array.isArray(request.subscribe)) return;
    this.#watchers.set(socket, new Set(request.subscribe.map(String)));
    for (const [key, text] of this.#open) {
      if (this.#watchers.get(socket)?.has(key.split(" ")[0]!)) write(socket, text.whole());
    }
  }

  #broadcast(message: LiveMessage): void {
    for (const [socket, sessions] of this.#watchers) {
      const wanted = sessions.has(message.sessionId) || (sessions.has(allSessions) && message.type === "changed");
      if (wanted) write(socket, message);
    }
  }
}

function write(socket: Socket, message: LiveFrame | LiveMessage): void {
  if (socket.writableLength > unreadBytes) socket.destroy();
  else socket.write(`${JSON.stringify(message)}\n`);
}
