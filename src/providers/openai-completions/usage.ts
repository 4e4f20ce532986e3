import type { Usage } from "../../agent/messages.ts";
import { isJsonObject, type JsonObject } from "../../schema/json-value.ts";

const count = (holder: JsonObject, ...names: string[]): number => {
  for (const name of names) {
    const value = holder[name];
    if (typeof value === "number" && value > 0) return value;
  }
  return 0;
};

/**
 * Token counts from any of the shapes of hosts: cached tokens stand in details (OpenAI), in `prompt_cache_hit_tokens`
 * (DeepSeek) or beside the totals (Moonshot). Input excludes what was read from or written to the cache.
 */
function readUsage(raw: JsonObject): Usage {
  const details = isJsonObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  const cacheRead =
    count(details, "cached_tokens") ||
    count(raw, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens");
  const cacheWrite = count(details, "cache_write_tokens") || count(raw, "cache_creation_input_tokens");
  const input = Math.max(0, count(raw, "prompt_tokens", "input_tokens") - cacheRead - cacheWrite);
  const cost = raw.cost;
  return {
    input,
    output: count(raw, "completion_tokens", "output_tokens"),
    cacheRead,
    cacheWrite,
    ...(typeof cost === "number" && Number.isFinite(cost) ? { cost } : {}),
  };
}

/** The usage of a chunk from wherever it stands; undefined if it holds none above zero. */
export function usageOfChunk(chunk: JsonObject, choice: JsonObject | undefined): Usage | undefined {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
  for (const place of [chunk.usage, choice?.usage, groq]) {
    if (!isJsonObject(place)) continue;
    const usage = readUsage(place);
    if (usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0) return usage;
  }
  return undefined;
}
