import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SessionClient } from "../../src/client/contract.ts";
import { type Home, homeOf, prepareHome, webTokenOf } from "../../src/config/home.ts";
import { startWebServer, type WebServerOptions } from "../../src/web/server/start.ts";
import { DemoClient } from "./demo-client.ts";

/** A home of the test's own, gone when it ends. */
export function testHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), "tempi-web-"));
  const home = homeOf({ TEMPI_HOME: join(folder, "home") });
  prepareHome(home);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return home;
}

/** A page of one script, in place of the built one. */
export function testPage(home: Home): string {
  const folder = join(home.root, "page");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "assets", "page-a1b2c3.js"), `console.log("page");\n${"// long\n".repeat(300)}`);
  writeFileSync(
    join(folder, "index.html"),
    '<!doctype html><script type="module" src="/assets/page-a1b2c3.js"></script>',
  );
  return folder;
}

export interface TestWeb<C extends SessionClient = DemoClient> {
  home: Home;
  client: C;
  port: number;
  base: string;
  lines: string[];
  server: Awaited<ReturnType<typeof startWebServer>>;
  /** The one way to sign in that needs no browser. */
  bearer: { Authorization: string };
}

/** A server over a client of made-up sessions, or the given one. */
export async function testWeb(): Promise<TestWeb>;
export async function testWeb<C extends SessionClient = DemoClient>(
  options: Partial<Omit<WebServerOptions, "client">> & { client?: C },
): Promise<TestWeb<C>>;
export async function testWeb(options: Partial<WebServerOptions> = {}): Promise<TestWeb<SessionClient>> {
  const home = options.home ?? testHome();
  const client = options.client ?? new DemoClient();
  const lines: string[] = [];
  const server = await startWebServer({
    pageFolder: options.pageFolder ?? testPage(home),
    port: 0,
    version: "1.2.3",
    person: "ann@here",
    startSession: async () => ({ sessionId: "n7p8q9" }),
    newSessionOptions: async () => ({ folders: [] }),
    addProjectRule: async () => undefined,
    log: (line) => lines.push(line),
    ...options,
    home,
    client,
  });
  onTestFinished(() => server.close());
  const base = `http://127.0.0.1:${server.port}`;
  return {
    home,
    client,
    port: server.port,
    base,
    lines,
    server,
    bearer: { Authorization: `Bearer ${webTokenOf(home)}` },
  };
}

/** A browser that signed in: sends its cookie, and its Origin where it changes something. */
export class Browser {
  readonly web: Pick<TestWeb, "base" | "home">;
  cookie = "";
  userAgent: string | undefined;

  constructor(web: Pick<TestWeb, "base" | "home">, userAgent?: string) {
    this.web = web;
    this.userAgent = userAgent;
  }

  static async signedIn(web: Pick<TestWeb, "base" | "home">, userAgent?: string): Promise<Browser> {
    const browser = new Browser(web, userAgent);
    const answer = await browser.post("/api/login", { token: webTokenOf(web.home) });
    if (answer.status !== 204) throw new Error(`login: ${answer.status}`);
    return browser;
  }

  get headers(): Record<string, string> {
    return {
      ...(this.cookie ? { Cookie: this.cookie } : {}),
      ...(this.userAgent ? { "User-Agent": this.userAgent } : {}),
    };
  }

  async get(path: string): Promise<Response> {
    return await fetch(`${this.web.base}${path}`, { headers: this.headers });
  }

  async post(path: string, body: unknown = {}): Promise<Response> {
    const answer = await fetch(`${this.web.base}${path}`, {
      method: "POST",
      headers: { ...this.headers, Origin: this.web.base, "Content-Type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const set = answer.headers.get("set-cookie");
    if (set) this.cookie = set.split(";")[0]!;
    return answer;
  }

  async stream(path: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return await EventReader.open(`${this.web.base}${path}`, { ...this.headers, ...headers });
  }
}

export interface ReadEvent {
  id?: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what came.
  data: any;
}

/** Reads server-sent events as a browser would. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  readonly ended: Promise<void>;
  isEnded = false;
  readonly response: IncomingMessage;
  private text = "";
  private wake: () => void = () => undefined;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => this.take(chunk));
    this.ended = new Promise((resolve) => {
      response.on("close", () => {
        this.isEnded = true;
        resolve();
        this.wake();
      });
    });
    response.on("error", () => undefined);
    onTestFinished(() => this.close());
  }

  /** Rejects with the status where the answer is not 200. */
  static open(url: string, headers: Record<string, string>): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const request = get(url, { headers, agent: false }, (response) => {
        if (response.statusCode === 200) resolve(new EventReader(response));
        else {
          response.resume();
          reject(new Error(`status ${response.statusCode}`));
        }
      });
      request.on("error", reject);
    });
  }

  /** Waits until one fits, of those that came too; rejects when the stream ends before. */
  async until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    for (let at = 0; ; ) {
      for (; at < this.events.length; at++) if (fits(this.events[at]!)) return this.events[at]!;
      if (this.isEnded) throw new Error(`the stream ended after ${JSON.stringify(this.events.at(-1))}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  get ids(): number[] {
    return this.events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
  }

  close(): void {
    this.response.destroy();
  }

  private take(chunk: string): void {
    const parts = (this.text + chunk).split("\n\n");
    this.text = parts.pop()!;
    for (const part of parts) {
      const field = (name: string) =>
        part
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const data = field("data");
      if (data === undefined) continue;
      const id = field("id");
      this.events.push({
        name: field("event") ?? "message",
        data: JSON.parse(data),
        ...(id === undefined ? {} : { id }),
      });
    }
    this.wake();
  }
}

/** Sends bytes as they are and returns what came back until the server closed or `enough` was read. */
export function rawRequest(port: number, text: string, enough = /\r\n\r\n/): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let read = "";
    const finish = () => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(read)?.[1] ?? 0), text: read });
    };
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      read += chunk;
      if (enough.test(read)) finish();
    });
    socket.on("close", finish);
    socket.on("error", (error) => (read ? finish() : reject(error)));
  });
}
