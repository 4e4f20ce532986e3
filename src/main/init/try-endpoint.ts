import { ModelError } from "../../providers/contract.ts";
import { streamAssistant } from "../../providers/index.ts";
import { type ListedModel, listModels } from "../../providers/openai-completions/list-models.ts";

/** Milliseconds: a person waits for it, and a model on this machine may have to be loaded first. */
const listPatienceMs = 10_000;
const answerPatienceMs = 90_000;

export interface Endpoint {
  provider: string;
  baseUrl: string;
  key: string | undefined;
}

/** Models of the endpoint, best guesses first; undefined where it answers but lists none. Throws `ModelError`. */
export async function modelsOf({ baseUrl, key }: Endpoint): Promise<ListedModel[] | undefined> {
  const list = await listModels(baseUrl, key, listPatienceMs);
  if ("models" in list) return inOrder(list.models);
  if (list.fault === "unlisted") return undefined;
  const host = new URL(baseUrl).host;
  if (list.fault === "refused") throw new ModelError("auth", `${host}: ${list.why}`);
  throw new ModelError("transient", `${host} cannot be reached: ${list.why}`);
}

/** Not for chat, by the names that hosts give. */
const others = /embed|whisper|tts|audio|realtime|transcri|moderation|dall-e|image|rerank|guard|sora|imagen|veo/i;
/** Families that are good at code, as far as names tell. */
const coders = /codex|coder|code|claude|gpt-5|deepseek|kimi|glm|devstral|qwen3|grok|gemini-\d.*pro/i;

/** Those that are likely meant first; the rest stays reachable behind them. */
export function inOrder(models: readonly ListedModel[]): ListedModel[] {
  const rank = ({ id }: ListedModel): number => (others.test(id) ? 2 : coders.test(id) ? 0 : 1);
  return models.toSorted((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id, "en"));
}

/** Asks the model one small thing, as a session would. Throws `ModelError` with what is wrong. */
export async function tryModel({ provider, baseUrl, key }: Endpoint, model: string): Promise<void> {
  await streamAssistant(
    {
      provider,
      model,
      baseUrl,
      ...(key === undefined ? {} : { apiKey: key }),
      systemPrompt: "You check a connection.",
      messages: [{ role: "user", content: [{ type: "text", text: "Answer with: ready" }], timestamp: Date.now() }],
      tools: [],
      thinking: "off",
      idleTimeoutMs: answerPatienceMs,
    },
    { signal: AbortSignal.timeout(answerPatienceMs), onDelta: () => undefined },
  );
}
