/** One message of a request, as far as it is looked at. */
export interface WireMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: { id?: string; function?: { name?: string; arguments?: string } }[];
}

/** What is wrong with calls and results of a conversation: each call has exactly one result, right after it, in the order of the calls. */
export function pairingFault(messages: readonly WireMessage[]): string | undefined {
  let open: string[] = [];
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      const expected = open.shift();
      if (expected !== message.tool_call_id) {
        return `the result of "${message.tool_call_id}" stands where that of "${expected ?? "no call"}" is due`;
      }
      continue;
    }
    if (open.length > 0) return `calls without a result: ${open.join(", ")}`;
    open = (message.tool_calls ?? []).map(({ id }) => id ?? "");
    for (const id of open) {
      if (id === "") return "a call without id";
      if (seen.has(id)) return `the call "${id}" stands there twice`;
      seen.add(id);
    }
  }
  return open.length > 0 ? `calls without a result: ${open.join(", ")}` : undefined;
}
