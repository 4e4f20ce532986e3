import type { StreamAssistant } from "./contract.ts";
import { streamOpenAICompletions } from "./openai-completions/stream.ts";
import { streamScripted } from "./scripted/stream.ts";

/** Asks the request's provider: the offline model for `scripted`, else an endpoint that speaks chat completions. */
export const streamAssistant: StreamAssistant = (request, options) =>
  request.provider === "scripted" ? streamScripted(request, options) : streamOpenAICompletions(request, options);
