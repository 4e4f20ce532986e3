import { isJsonObject } from "../../schema/json-value.ts";

export interface ListedModel {
  /** The endpoint's name of it. */
  id: string;
  /** Tokens, where the endpoint tells. */
  contextWindow?: number;
}

/** `unreachable` = nothing answered in time; `refused` = the key is wrong or missing; `unlisted` = it answers, but with no list. */
export type ModelList = { models: ListedModel[] } | { fault: "unreachable" | "refused" | "unlisted"; why: string };

/** Names that hosts have for the window in their lists. */
const windowNames = ["context_length", "context_window", "max_context_length", "max_model_len"];

/** Asks an endpoint for its models. Never throws; the texts never hold the key. */
export async function listModels(baseUrl: string, apiKey: string | undefined, patienceMs: number): Promise<ModelList> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      headers: { accept: "application/json", ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      signal: AbortSignal.timeout(patienceMs),
    });
    if (response.status === 401 || response.status === 403) {
      await response.body?.cancel();
      return { fault: "refused", why: `it answered ${response.status}: it does not take the key` };
    }
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
    if (!response.ok || !isJson) {
      await response.body?.cancel();
      return { fault: "unlisted", why: response.ok ? "it lists no models" : `it answered ${response.status}` };
    }
    const models = modelsIn(await response.json());
    return models.length > 0 ? { models } : { fault: "unlisted", why: "it lists no models" };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: "unlisted", why: "its list of models is no JSON" };
    return { fault: "unreachable", why: whyUnreachable(error as Error, patienceMs) };
  }
}

/** OpenAI's shape, or the bare array that some hosts send. */
function modelsIn(body: unknown): ListedModel[] {
  const entries = Array.isArray(body) ? body : isJsonObject(body) && Array.isArray(body.data) ? body.data : [];
  return entries.filter(isJsonObject).flatMap((entry): ListedModel[] => {
    if (typeof entry.id !== "string" || entry.id === "") return [];
    const window = windowNames.map((name) => entry[name]).find((value) => typeof value === "number" && value > 0);
    // Gemini lists `models/NAME` and takes NAME.
    return [
      { id: entry.id.replace(/^models\//, ""), ...(window === undefined ? {} : { contextWindow: Number(window) }) },
    ];
  });
}

function whyUnreachable(error: Error, patienceMs: number): string {
  if (error.name === "TimeoutError") return `no answer within ${patienceMs / 1_000} s`;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return `no connection${typeof code === "string" ? ` (${code})` : ""}`;
}

/** Whether an endpoint that lists `models` has one of this name; hosts add tags and variants to names. */
export function hasModel(models: readonly ListedModel[], name: string): boolean {
  const wanted = name.toLowerCase();
  // Ollama's default tag, and OpenRouter's variants (`:nitro`), which are not listed.
  const forms = [wanted, `${wanted}:latest`, wanted.replace(/:[a-z]+$/, ""), wanted.replace(/^models\//, "")];
  return models.some(({ id }) => forms.includes(id.toLowerCase()));
}
