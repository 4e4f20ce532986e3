/**
 * A tool of your own. Copy this file to ~/.config/tempi/extensions/ (or, with TEMPI_HOME, to $TEMPI_HOME/extensions/): the next
 * session has it. The parameters are plain JSON Schema; `Type.Object(…)` of TypeBox works too and gives `params` its type.
 */
import { type ExtensionApi, textResult } from "tempi";

export default function wordCount(tempi: ExtensionApi): void {
  tempi.registerTool({
    name: "word_count",
    label: "Word count",
    description: "Counts the words of text files. Use it when a length in words matters.",
    promptSnippet: "Count the words of files",
    parameters: {
      type: "object",
      properties: { paths: { type: "array", items: { type: "string" }, minItems: 1 } },
      required: ["paths"],
    },
    // Repeating it does no harm, so a lost worker's call is simply run again.
    effect: "read",
    execute: async (_toolCallId, params, signal, onUpdate, ctx) => {
      const lines: string[] = [];
      for (const path of params.paths as string[]) {
        const { code, stdout, stderr } = await ctx.exec("wc", ["-w", "--", path], { signal });
        lines.push(code === 0 ? stdout.trim() : `${path}: ${stderr.trim()}`);
        onUpdate(textResult(lines.join("\n")));
      }
      return textResult(lines.join("\n"));
    },
  });
}
