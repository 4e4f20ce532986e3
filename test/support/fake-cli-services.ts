import { EventEmitter } from "node:events";
import type { CliServices, InputStream, LeaveSignal, OutputStream } from "../../src/cli/services.ts";
import type { FakeSessionClient } from "./fake-session-client.ts";
import { testState } from "./fake-session-client.ts";

export class FakeOutput extends EventEmitter implements OutputStream {
  text = "";
  isTTY: boolean;
  columns: number;
  rows = 24;
  constructor(isTTY = false, columns = 80) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }
  write(text: string): boolean {
    this.text += text;
    return true;
  }
  /** Waits until the text was written. */
  async shown(text: string): Promise<void> {
    while (!this.text.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  get lines(): string[] {
    return this.text.split("\n").filter((line) => line !== "");
  }
}

export class FakeInput extends EventEmitter implements InputStream {
  isTTY: boolean;
  raw = false;
  content: string;
  constructor(isTTY = false, content = "") {
    super();
    this.isTTY = isTTY;
    this.content = content;
  }
  setRawMode(on: boolean): void {
    this.raw = on;
  }
  resume(): void {}
  pause(): void {}
  type(text: string): void {
    this.emit("data", text);
  }
  async *[Symbol.asyncIterator](): AsyncIterator<Buffer> {
    yield Buffer.from(this.content);
  }
}

export interface FakeServices extends CliServices {
  stdin: FakeInput;
  stdout: FakeOutput;
  stderr: FakeOutput;
  client: FakeSessionClient;
  /** Sends a signal to whoever listens. */
  signal(name: LeaveSignal): void;
  clock: { now: number };
}

export function fakeServices(
  client: FakeSessionClient,
  options: { terminal?: boolean; columns?: number; stdin?: string; environment?: NodeJS.ProcessEnv; cwd?: string } = {},
): FakeServices {
  const signals = new EventEmitter();
  const clock = { now: Date.UTC(2026, 10, 30, 12, 0, 0) };
  return {
    client,
    clock,
    cwd: options.cwd ?? process.cwd(),
    environment: { LANG: "C.UTF-8", ...options.environment },
    stdin: new FakeInput(options.terminal, options.stdin),
    stdout: new FakeOutput(options.terminal, options.columns),
    stderr: new FakeOutput(options.terminal, options.columns),
    now: () => clock.now,
    person: () => "me@here",
    connect: async () => client,
    hasSessions: () => true,
    settings: async (flags) => ({ ...testState().settings, approval: flags.approval ?? "ask" }),
    checkModel: async () => undefined,
    images: async (paths) => paths.map((path) => ({ type: "image", data: path, mimeType: "image/png" })),
    model: async (name) => ({ provider: "p", model: name }),
    defaults: async () => ({ notify: false, onAsk: "park" }),
    commandEnvironment: async () => ({ PATH: "/bin" }),
    onSignal: (name, handler) => {
      signals.on(name, handler);
      return () => signals.off(name, handler);
    },
    signal: (name) => void signals.emit(name),
  };
}
