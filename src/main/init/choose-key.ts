import type { ProviderKeySource } from "../../config/model-schema.ts";
import { knownProviders } from "../../config/provider-table.ts";
import type { Questions } from "./questions.ts";

/** Where a key comes from; `pasted` is one that is to be kept in a file of ours. */
export type ChosenKey = { source: ProviderKeySource } | { pasted: string } | "none";

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is wrong with the name of a variable. A key in its place must not end up in a file or a message. */
export const variableFault = (name: string): string | undefined =>
  variableName.test(name)
    ? undefined
    : "This is not the name of a variable. (To give the key itself, choose to paste it.)";

/** What is wrong with a pasted key; says nothing of it. */
export const keyFault = (key: string): string | undefined =>
  key === ""
    ? "nothing was pasted"
    : /^[\x21-\x7e]+$/.test(key) && !/["'`]/.test(key)
      ? undefined
      : "it holds a line break, a quote or a blank, which no key has";

export async function askForKey(
  questions: Questions,
  provider: string,
  environment: NodeJS.ProcessEnv,
  options: { needsNone: boolean; say: (line: string) => void },
): Promise<ChosenKey> {
  const customary = knownProviders[provider]?.keyVariable;
  const isSet = (name: string | undefined) => name !== undefined && Boolean(environment[name]);
  const kind = await questions.choose<"customary" | "env" | "file" | "command" | "paste" | "none">(
    `Where is the key of ${provider}?`,
    [
      ...(isSet(customary) ? [{ name: `in the variable ${customary} (set now)`, value: "customary" as const }] : []),
      ...(options.needsNone ? [{ name: "it needs none", value: "none" as const }] : []),
      { name: "I paste it (kept in a file that only you can read)", value: "paste" as const },
      ...(customary && !isSet(customary)
        ? [{ name: `in the variable ${customary} (not set now)`, value: "customary" as const }]
        : []),
      { name: "in another variable", value: "env" as const },
      { name: "in a file", value: "file" as const },
      { name: "a command prints it (a password manager)", value: "command" as const },
    ],
  );
  switch (kind) {
    case "none":
      return "none";
    case "customary":
      return { source: { env: customary! } };
    case "env":
      return { source: { env: await questions.text("Name of the variable", variableFault) } };
    case "file":
      return { source: { file: await questions.text("Path of the file", notEmpty) } };
    case "command":
      return { source: { command: await questions.text("Command", notEmpty) } };
    case "paste":
      for (;;) {
        const pasted = await questions.secret("Key (nothing of it is shown)");
        const fault = keyFault(pasted);
        if (fault === undefined) return { pasted };
        options.say(`That cannot be a key: ${fault}.`);
      }
  }
}

const notEmpty = (text: string): string | undefined => (text === "" ? "It is empty." : undefined);
