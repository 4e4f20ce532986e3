import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../config/errors.ts";
import { limits } from "../protocol/limits.ts";
import { exitCodes } from "./exit-codes.ts";
import type { CliServices } from "./services.ts";

const usage = (message: string, next?: string): UserError =>
  new UserError(message, { exitCode: exitCodes.usage, ...(next === undefined ? {} : { next }) });

/** The prompt of the words on the command line, or of stdin for a lone `-`, with files appended. */
export async function promptText(
  services: CliServices,
  words: readonly string[],
  options: { files?: readonly string[]; command: string },
): Promise<string> {
  const typed = words.length === 1 && words[0] === "-" ? await readAll(services) : words.join(" ");
  const files = (options.files ?? []).map((path) => fileText(services.cwd, path));
  const text = [typed.trim() === "" ? "" : typed.trimEnd(), ...files].filter((part) => part !== "").join("\n\n");
  if (text === "") throw usage("the prompt is empty.", `tempi ${options.command} "what to do"`);
  if (Buffer.byteLength(text) > limits.promptBytes) throw tooLong();
  return text;
}

const tooLong = (): UserError =>
  usage(
    `the prompt is longer than ${limits.promptBytes / 1024} KB.`,
    "write the text into a file of the workspace and name it in the prompt",
  );

async function readAll(services: CliServices): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of { [Symbol.asyncIterator]: () => services.stdin[Symbol.asyncIterator]() }) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // Stops reading early: an endless pipe must not fill the memory.
    if (size > limits.promptBytes) throw tooLong();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function fileText(cwd: string, path: string): string {
  try {
    return `File ${path}:\n${readFileSync(resolve(cwd, path), "utf8").trimEnd()}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usage(`--file ${JSON.stringify(path)} cannot be read (${code}).`, "name a readable file, from this folder");
  }
}

/** First line of a prompt, short enough for a list. */
export function titleOf(prompt: string): string {
  const first = prompt.trim().split("\n", 1)[0]!.trim();
  return first.length > limits.summaryCharacters ? `${first.slice(0, limits.summaryCharacters - 1)}…` : first;
}
