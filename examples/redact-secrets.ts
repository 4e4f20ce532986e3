/**
 * Hooks around every call: what looks like a key never reaches the model, and nothing is pushed without a person.
 * Copy this file to ~/.config/tempi/extensions/ (or, with TEMPI_HOME, to $TEMPI_HOME/extensions/).
 */
import type { ExtensionApi } from "tempi";

const keys = /\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})\b/g;

export default function redactSecrets(tempi: ExtensionApi): void {
  tempi.beforeToolCall(({ toolCall, args }) => {
    const pushes = toolCall.name === "bash" && /\bgit\s+push\b/.test(String(args.command));
    return pushes ? { ask: { reason: "it pushes to a remote" } } : undefined;
  });
  tempi.afterToolCall(({ result }) => ({
    content: result.content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.replaceAll(keys, "[redacted]") } : block,
    ),
  }));
}
