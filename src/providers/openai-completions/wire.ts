/** Messages as chat completions send them; only the fields that we send. */

export interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  extra_content?: unknown;
}

export type WirePart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export type WireMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | WirePart[] }
  /** Further fields replay the model's reasoning under the name it came with. */
  | { role: "assistant"; content: string | null; tool_calls?: WireCall[]; [field: string]: unknown }
  | { role: "tool"; tool_call_id: string; content: string; name?: string };
