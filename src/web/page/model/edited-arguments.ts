/** What a person edits of a call: for bash the command alone, else all arguments as JSON. */
export function editedText(toolName: string, args: Record<string, unknown>): string {
  if (toolName === "bash" && typeof args.command === "string") return args.command;
  return JSON.stringify(args, undefined, 2);
}

/** The edited arguments, or why the text is none. The tool's own check follows on the server. */
export function editedArguments(
  toolName: string,
  given: Record<string, unknown>,
  text: string,
): { args: Record<string, unknown> } | { problem: string } {
  if (toolName === "bash" && typeof given.command === "string") {
    return text.trim() === "" ? { problem: "The command is empty." } : { args: { ...given, command: text } };
  }
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) {
      return { args: args as Record<string, unknown> };
    }
    return { problem: "The arguments must be one JSON object." };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
