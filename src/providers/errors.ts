import { ModelError, type ModelErrorKind } from "./contract.ts";
import { type FailureFacts, factsOf, safeText } from "./describe-error.ts";
import { authText, filterText, modelText, overflowText, overloadText, quotaText, throttleText } from "./error-texts.ts";
import { resetMs, retryAfterInText, retryAfterMs } from "./retry-after.ts";

export interface FailureContext {
  /** Host and port of the endpoint, named in the text. */
  host: string;
  model: string;
  apiKey?: string;
  keyVariable?: string;
  /** Milliseconds since 1970, for waits given as a date. */
  now: number;
}

const connectionCodes =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR|ERR_STREAM_PREMATURE_CLOSE|HPE_)/;
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;
const connectionErrors = [
  "APIConnectionError",
  "APIConnectionTimeoutError",
  "SyntaxError",
  "AbortError",
  "TimeoutError",
];
const connectionText =
  /^(terminated|fetch failed|failed to fetch|network error|connection error|socket hang up)|other side closed|premature close/i;

/** The failure as a `ModelError`: its kind decides what the engine does next, its text names the host and never the key. */
export function classifyError(error: unknown, context: FailureContext): ModelError {
  if (error instanceof ModelError) return error;
  const facts = factsOf(error);
  const kind = kindOf(error, facts);
  const wait = waitOf(kind, facts, context.now);
  const next = nextStep(kind, facts, context);
  const answered = facts.status === undefined ? "" : ` answered ${facts.status}`;
  const codes = facts.status === undefined ? facts.codes.filter((code) => /^[A-Z_]+$/.test(code)) : [];
  const detail = [facts.text, ...codes.filter((code) => !facts.text.includes(code))].join(" ");
  // The cause is not kept: foreign errors carry requests and headers, and this one goes into the history.
  return new ModelError(kind, safeText(`${context.host}${answered}: ${detail}`, context.apiKey), {
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(next ? { next } : {}),
  });
}

function waitOf(kind: ModelErrorKind, { headers, text }: FailureFacts, now: number): number | undefined {
  if (kind === "transient") return retryAfterMs(headers, now);
  if (kind !== "rateLimit") return undefined;
  return retryAfterMs(headers, now) ?? retryAfterInText(text) ?? resetMs(headers, now);
}

function kindOf(error: unknown, facts: FailureFacts): ModelErrorKind {
  const { status } = facts;
  const words = [facts.text, ...facts.codes].join("\n");
  const waitKnown = facts.headers.get("retry-after") !== null || retryAfterInText(facts.text) !== undefined;
  if (status === 402 || facts.codes.includes("insufficient_quota")) return "quota";
  // Google words its limits per minute as a quota, but then says when to try again.
  if (quotaText.test(words) && (status !== 429 || !waitKnown)) return "quota";
  if (status === 401) return "auth";
  if (status === 403) return filterText.test(words) ? "contentFilter" : "auth";
  if (isOverflow(words) && (status === undefined || status < 500 || status === 500)) return "overflow";
  if (status === 429) return "rateLimit";
  if (status === 404 || (modelText.test(words) && (status ?? 400) < 500)) return "unknownModel";
  if (status === 408 || status === 409 || status === 425 || status === 499) return "transient";
  if (status !== undefined && status >= 500) return "transient";
  if (throttleText.test(words)) return "rateLimit";
  if (authText.test(words)) return "auth";
  if (filterText.test(words)) return "contentFilter";
  if (status === 413) return "overflow";
  if (status !== undefined) return "invalid";
  return kindWithoutStatus(error, facts, words);
}

/** "Too many tokens, please wait" is a limit of speed; a request too large for that limit will not fit later either. */
const isOverflow = (words: string): boolean =>
  overflowText.test(words) &&
  (!throttleText.test(words) || /context|request too large for|prompt is too long/i.test(words));

function kindWithoutStatus(error: unknown, { codes }: FailureFacts, words: string): ModelErrorKind {
  if (codes.some((code) => certificateCodes.test(code))) return "auth";
  if (codes.includes("invalid_request_error")) return "invalid";
  if (codes.some((code) => connectionCodes.test(code)) || overloadText.test(words)) return "transient";
  if (!(error instanceof Error)) return "invalid";
  if (connectionErrors.includes(error.constructor.name) || connectionErrors.includes(error.name)) return "transient";
  // An error object inside a stream that says nothing we know: the stream is broken, the request need not be.
  if (error.constructor.name === "APIError") return "transient";
  return connectionText.test(error.message) ? "transient" : "invalid";
}

function nextStep(kind: ModelErrorKind, { codes }: FailureFacts, context: FailureContext): string | undefined {
  if (kind === "auth" && codes.some((code) => certificateCodes.test(code))) {
    return "check the address, or name your own certificate authority in NODE_EXTRA_CA_CERTS";
  }
  if (kind === "auth") return context.keyVariable ? `set ${context.keyVariable} to a valid key` : "set a valid key";
  if (kind === "quota") return `add credit to the account at ${context.host}, or choose another model`;
  if (kind === "unknownModel") return `check the model's name ("${context.model}") and the base URL`;
  if (kind === "transient" && codes.includes("ECONNREFUSED")) return `start the server at ${context.host}`;
  return undefined;
}
