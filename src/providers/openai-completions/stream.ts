import OpenAI from "openai";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { AssistantMessage } from "../../agent/messages.ts";
import { ModelError, type ModelRequest, type StreamAssistant } from "../contract.ts";
import { classifyError } from "../errors.ts";
import { AnswerAssembly } from "./assemble.ts";
import { buildRequest } from "./build-request.ts";
import { compatFor, isLoopback } from "./compat.ts";
import { type Endpoint, endpointOf } from "./endpoint.ts";
import { watchedFetch } from "./watched-fetch.ts";

const idleTimeoutMs = 120_000;
/** A model on this machine may read a long prompt for minutes before its first word; undici gives up after five. */
const localFirstTimeoutMs = 290_000;
/** An answer beyond this is a model that does not stop; it is cut as if the output limit had been reached. */
const maximumAnswerCharacters = 4 * 1024 * 1024;

/** One request to an endpoint that speaks chat completions. See `StreamAssistant` for what it promises. */
export const streamOpenAICompletions: StreamAssistant = async (request, { signal, onDelta }) => {
  const endpoint = endpointOf(request);
  const compat = compatFor(request.provider, endpoint.url, request.compat);
  const body = buildRequest(request, compat);
  const assembly = new AnswerAssembly();
  const watch = new IdleWatch(endpoint, request);
  const finish = (how: Parameters<AnswerAssembly["finish"]>[1]): AssistantMessage =>
    assembly.finish({ provider: request.provider, model: request.model, timestamp: Date.now() }, how);
  try {
    if (signal.aborted) return finish({ aborted: true });
    const stop = AbortSignal.any([signal, watch.signal]);
    const stream = await clientFor(endpoint, watch).chat.completions.create(
      body as unknown as ChatCompletionCreateParamsStreaming,
      { signal: stop },
    );
    for await (const chunk of stream) {
      watch.alive();
      for (const delta of assembly.add(chunk)) onDelta(delta);
      if (signal.aborted) break;
      if (assembly.size > maximumAnswerCharacters) return finish({ length: true });
    }
    // The SDK ends an aborted stream without an error, so a cut would look like an end.
    if (signal.aborted) return finish({ aborted: true });
    if (watch.signal.aborted && !assembly.finished) throw watch.error();
    return finish({ finishReasonOptional: compat.finishReasonOptional });
  } catch (error) {
    if (signal.aborted) return finish({ aborted: true });
    if (error instanceof ModelError) throw named(error, endpoint.url.host);
    // Everything had come; only the connection was not closed well.
    if (assembly.finished) return complete(finish, endpoint.url.host);
    if (watch.signal.aborted) throw watch.error();
    throw classifyError(error, {
      host: endpoint.url.host,
      model: request.model,
      ...(endpoint.apiKey ? { apiKey: endpoint.apiKey } : {}),
      ...(endpoint.keyVariable ? { keyVariable: endpoint.keyVariable } : {}),
      now: Date.now(),
    });
  } finally {
    watch.stop();
  }
};

function complete(finish: (how: object) => AssistantMessage, host: string): AssistantMessage {
  try {
    return finish({});
  } catch (error) {
    throw error instanceof ModelError ? named(error, host) : error;
  }
}

/** What the stream's end means is judged without knowing the host; a person must see it. */
const named = (error: ModelError, host: string): ModelError =>
  error.message.startsWith(host)
    ? error
    : new ModelError(error.kind, `${host}: ${error.message}`, error.next ? { next: error.next } : {});

function clientFor({ url, apiKey }: Endpoint, watch: IdleWatch): OpenAI {
  return new OpenAI({
    baseURL: url.href.replace(/\/$/, ""),
    apiKey: apiKey ?? "none",
    // Everything the SDK would otherwise take from the environment would be sent to any host.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: apiKey ? {} : { Authorization: null },
    // Repeating belongs to the engine, which shows it and lets it be stopped.
    maxRetries: 0,
    timeout: 24 * 60 * 60 * 1_000,
    logLevel: "off",
    fetch: watchedFetch(() => watch.alive()),
  });
}

/** Aborts `signal` when the endpoint gave no sign of life for too long. */
class IdleWatch {
  readonly #controller = new AbortController();
  readonly #host: string;
  #limitMs: number;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout;

  constructor({ url }: Endpoint, request: ModelRequest) {
    this.#host = url.host;
    this.#idleMs = request.idleTimeoutMs ?? idleTimeoutMs;
    this.#limitMs = request.idleTimeoutMs ?? (isLoopback(url) ? localFirstTimeoutMs : idleTimeoutMs);
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    clearTimeout(this.#timer);
    this.#limitMs = this.#idleMs;
    if (!this.signal.aborted) this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  error(): ModelError {
    return new ModelError("transient", `${this.#host} sent nothing for ${Math.round(this.#limitMs / 1_000)} seconds`);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(), this.#limitMs);
  }
}
