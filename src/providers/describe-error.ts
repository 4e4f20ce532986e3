import { capText, isJsonObject } from "../schema/json-value.ts";

/** What can be known of a failure, whatever threw it. */
export interface FailureFacts {
  status: number | undefined;
  /** Codes and types of the body and of the system, for matching. */
  codes: string[];
  /** The provider's own words. */
  text: string;
  headers: { get(name: string): string | null };
}

const errorTextBytes = 4 * 1024;
const noHeaders = { get: () => null };

const hasGet = (value: unknown): value is FailureFacts["headers"] =>
  typeof value === "object" && value !== null && "get" in value && typeof value.get === "function";

/** Reads an error of the `openai` SDK, of fetch, of Node, or an error object that came inside a stream. */
export function factsOf(error: unknown): FailureFacts {
  const codes: string[] = [];
  const texts: string[] = [];
  let status: number | undefined;
  let headers: FailureFacts["headers"] = noHeaders;
  // Errors wrap each other: fetch failed → ECONNREFUSED.
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    const { status: given, headers: some, code, type, error: body } = current as Error & Record<string, unknown>;
    if (typeof given === "number") status ??= given;
    if (hasGet(some)) headers = some;
    for (const value of [code, type]) if (value !== undefined && value !== null) codes.push(String(value));
    texts.push(isJsonObject(body) ? bodyText(body) : current.message);
    if (isJsonObject(body)) {
      const numeric = Number(body.code ?? body.status);
      if (status === undefined && numeric >= 400 && numeric < 600) status = numeric;
      if (typeof body.status === "string") codes.push(body.status);
      headers = withHeadersOf(body, headers);
    }
  }
  if (texts.length === 0) texts.push(String(error));
  return { status, codes, text: [...new Set(texts.filter((text) => text !== ""))].join(": "), headers };
}

/** OpenRouter repeats the headers of the provider behind it in the body. */
function withHeadersOf(body: Record<string, unknown>, outer: FailureFacts["headers"]): FailureFacts["headers"] {
  const inner = isJsonObject(body.metadata) ? body.metadata.headers : undefined;
  if (!isJsonObject(inner)) return outer;
  const named = new Map(Object.entries(inner).map(([name, value]) => [name.toLowerCase(), String(value)]));
  return { get: (name) => outer.get(name) ?? named.get(name) ?? null };
}

/** The message of an error body; hosts put it under several names. The rest follows where it says more. */
function bodyText(body: Record<string, unknown>): string {
  const nested = isJsonObject(body.error) ? body.error : body;
  const metadata =
    isJsonObject(nested.metadata) && typeof nested.metadata.raw === "string" ? [nested.metadata.raw] : [];
  for (const value of [nested.message, nested.detail, nested.msg, body.error, body.message]) {
    if (typeof value === "string" && value !== "") return [value, ...metadata].join(": ");
  }
  return JSON.stringify(body);
}

/**
 * `text` for a person and for the history: without the key in any form (some hosts repeat half of it), tags of an error
 * page or control characters, and at most 4 KB.
 */
export function safeText(text: string, key: string | undefined): string {
  let safe = text;
  if (key && key.trim().length >= 4)
    safe = safe.replaceAll(key.trim(), "[key]").replaceAll(encodeURIComponent(key.trim()), "[key]");
  safe = safe
    .replace(/\b(Bearer\s+)[^\s"',]+/gi, "$1[key]")
    .replace(/\b(sk|gsk|xai|pk|rk|key)-[A-Za-z0-9*_.-]{6,}/g, "[key]")
    .replace(/([?&](?:api_?)?key=)[^&\s"']+/gi, "$1[key]")
    .replace(/\/\/[^/\s"'@]+@/g, "//");
  if (/<(html|!doctype)/i.test(safe))
    safe = safe.replace(/<(style|script)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ");
  return capText(
    safe
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, " ")
      .replace(/[ \t]{2,}/g, " ")
      .trim(),
    errorTextBytes - 128,
  );
}
