import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promptPattern, type Step } from "../script.ts";
import { chunksOf } from "./answer.ts";
import { pairingFault, type WireMessage } from "./pairing.ts";

/** What goes wrong with one answer. */
export type ModelFault = "cutText" | "cutArguments" | "rateLimit" | "serverError" | "changeOutside";

/** The place in the conversation that a request asks for. */
export interface Asked {
  session: number;
  prompt: number | "tail";
  /** Answers given since that prompt. */
  step: number;
}

export interface ModelServerOptions {
  /** The answer, by the conversation alone. */
  stepOf: (asked: Asked) => Step;
  /** Expected in the header; only compared. */
  key: string;
  /** Changes a file as a person beside the agent would. */
  changeOutside: (file: string) => void;
}

const chunkMs = 12;

/** An OpenAI-compatible endpoint on 127.0.0.1 whose answers follow from the seed and the conversation. */
export class ModelServer {
  requests = 0;
  pairingChecks = 0;
  readonly pairingFaults: string[] = [];
  /** Requests for a place that was asked for before, and those among them with another conversation before it. */
  repeated = 0;
  readonly differing: string[] = [];
  wrongKeys = 0;
  /** Number of open answers by session. */
  readonly open = new Map<number, number>();
  readonly #options: ModelServerOptions;
  readonly #armed: { fault: ModelFault; struck: (session: number) => void }[] = [];
  readonly #answered = new Map<string, string>();
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as { messages: WireMessage[] };
      if (request.headers.authorization !== `Bearer ${this.#options.key}`) this.wrongKeys += 1;
      this.#answer(body.messages, response).catch(() => response.destroy());
    });
  });

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  /** Resolves with the base URL. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The next answer that fits goes wrong this way; resolves with the session it struck, or undefined after `patienceMs`. */
  arm(fault: ModelFault, patienceMs: number): Promise<number | undefined> {
    return new Promise((resolve) => {
      const entry = { fault, struck: resolve };
      this.#armed.push(entry);
      setTimeout(() => {
        const at = this.#armed.indexOf(entry);
        if (at >= 0) this.#armed.splice(at, 1);
        resolve(undefined);
      }, patienceMs).unref();
    });
  }

  async #answer(messages: WireMessage[], response: ServerResponse): Promise<void> {
    this.requests += 1;
    this.pairingChecks += 1;
    const fault = pairingFault(messages);
    if (fault) {
      this.pairingFaults.push(fault);
      respondError(response, 400, fault);
      return;
    }
    const asked = askedBy(messages);
    this.#compare(asked, messages);
    const step = this.#options.stepOf(asked);
    this.open.set(asked.session, (this.open.get(asked.session) ?? 0) + 1);
    try {
      await this.#send(step, this.#strike(step, asked.session), response);
    } finally {
      this.open.set(asked.session, this.open.get(asked.session)! - 1);
    }
  }

  /** The fault that waits for such an answer. */
  #strike(step: Step, session: number): ModelFault | undefined {
    const at = this.#armed.findIndex(({ fault }) => {
      if (fault === "changeOutside") return step.changesOutside !== undefined;
      return fault !== "cutArguments" || step.calls.length > 0;
    });
    const [entry] = at < 0 ? [] : this.#armed.splice(at, 1);
    entry?.struck(session);
    return entry?.fault;
  }

  async #send(step: Step, fault: ModelFault | undefined, response: ServerResponse): Promise<void> {
    if (fault === "rateLimit") return respondError(response, 429, "slow down", { "retry-after": "1" });
    if (fault === "serverError") return respondError(response, 500, "it is broken");
    if (fault === "changeOutside") this.#options.changeOutside(step.changesOutside!);
    const chunks = chunksOf(step);
    // Before the last piece of the last call's arguments, or in the middle of the words.
    const cutAt = fault === "cutArguments" ? chunks.length - 3 : fault === "cutText" ? 2 : undefined;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [at, chunk] of chunks.entries()) {
      if (at === cutAt) {
        response.destroy();
        return;
      }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      await sleep(chunkMs);
      if (response.destroyed) return;
    }
    response.end("data: [DONE]\n\n");
  }

  /** A request that is repeated has the same conversation before it, so it also gets the same answer. */
  #compare({ session, prompt, step }: Asked, messages: WireMessage[]): void {
    const place = `session ${session} prompt ${prompt} step ${step}`;
    const hash = createHash("sha256").update(JSON.stringify(messages)).digest("hex");
    const before = this.#answered.get(place);
    this.#answered.set(place, hash);
    if (before === undefined) return;
    this.repeated += 1;
    if (before !== hash) this.differing.push(place);
  }
}

function askedBy(messages: readonly WireMessage[]): Asked {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const [, session, prompt] = promptPattern.exec(JSON.stringify(messages[at]?.content ?? "")) ?? [];
  if (session === undefined || prompt === undefined) throw new Error("a request without prompt");
  const step = messages.slice(at).filter(({ role }) => role === "assistant").length;
  return { session: Number(session), prompt: prompt === "tail" ? "tail" : Number(prompt), step };
}

function respondError(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message, type: "chaos" } }));
}
