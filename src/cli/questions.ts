import { createInterface } from "node:readline/promises";
import type { CliServices } from "./services.ts";

export const isInteractive = (services: CliServices): boolean =>
  Boolean(services.stdin.isTTY) && Boolean(services.stdout.isTTY);

/** One line from the person; undefined when they leave with Ctrl-C or Ctrl-D. */
export async function ask(services: CliServices, question: string): Promise<string | undefined> {
  const reader = createInterface({
    input: services.stdin as unknown as NodeJS.ReadableStream,
    output: services.stdout as unknown as NodeJS.WritableStream,
  });
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      reader.once("close", () => resolve(undefined));
      reader.once("SIGINT", () => reader.close());
      reader.question(question).then(resolve, reject);
    });
  } finally {
    reader.close();
  }
}
