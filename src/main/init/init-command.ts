import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { UsageError, UserError } from "../../config/errors.ts";
import type { ProviderKeySource } from "../../config/model-schema.ts";
import { knownProviders } from "../../config/provider-table.ts";
import { baseUrlOf, isLoopback, keySourceOf } from "../../config/providers.ts";
import type { ConfigFile } from "../../config/schema.ts";
import { ModelError } from "../../providers/contract.ts";
import { nearestNames } from "../../providers/nearest-names.ts";
import { hasModel } from "../../providers/openai-completions/list-models.ts";
import { keyFrom } from "../api-key.ts";
import type { MachineContext } from "../machine-commands.ts";
import { loadCheckedConfig } from "../rules.ts";
import { askForKey, type ChosenKey, keyFault, variableFault } from "./choose-key.ts";
import { LeftByPerson, type Questions } from "./questions.ts";
import { keyFileOf, saveChoice, saveKey } from "./save.ts";
import { type Endpoint, modelsOf, tryModel } from "./try-endpoint.ts";

export interface InitFlags {
  provider?: string;
  baseUrl?: string;
  keyEnv?: string;
  keyFile?: string;
  keyCommand?: string;
  keyStdin?: boolean;
  model?: string;
}

export interface InitInput {
  /** Absent off a terminal: then flags must tell everything. */
  questions?: Questions;
  stdin: NodeJS.ReadableStream;
}

const leftCode = 130;
const providerPattern = /^[a-z][a-z0-9_-]{0,31}$/;
const otherEndpoint = Symbol("another endpoint");

/** `tempi init`: provider, key and model, tried with one request before anything is written. */
export async function initCommand(context: MachineContext, flags: InitFlags, input: InitInput): Promise<void> {
  try {
    await new Init(context, flags, input).run();
  } catch (error) {
    if (!(error instanceof LeftByPerson)) throw error;
    context.say("left; nothing was written.");
    process.exitCode = leftCode;
  }
}

class Init {
  readonly #context: MachineContext;
  readonly #flags: InitFlags;
  readonly #input: InitInput;
  readonly #questions: Questions | undefined;
  readonly #values: ConfigFile;

  constructor(context: MachineContext, flags: InitFlags, input: InitInput) {
    const keys = ["keyEnv", "keyFile", "keyCommand", "keyStdin"] as const;
    if (keys.filter((name) => flags[name] !== undefined).length > 1) {
      throw new UsageError("a key comes from one place", "one of --key-env, --key-file, --key-command, --key-stdin");
    }
    const fault = flags.keyEnv === undefined ? undefined : variableFault(flags.keyEnv);
    if (fault)
      throw new UsageError("--key-env takes the name of a variable, never a key", "--key-stdin for the key itself");
    this.#context = context;
    this.#flags = flags;
    this.#input = input;
    this.#questions = input.questions;
    this.#values = loadCheckedConfig(context.home, { environment: context.environment }).values;
  }

  async run(): Promise<void> {
    const { provider, baseUrl } = await this.#provider();
    for (let flagged = true; ; flagged = false) {
      const chosen = await this.#key(provider, baseUrl, flagged);
      try {
        const endpoint = { provider, baseUrl, key: await this.#keyOf(chosen) };
        const model = await this.#model(endpoint);
        return this.#save({ provider, baseUrl, model }, chosen);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        const next = error.kind === "auth" ? "another key" : "tempi init again";
        if (!this.#questions || error.kind !== "auth")
          throw new UserError(`${error.message}.`, { next: error.next ?? next });
        this.#context.say(`✗ ${error.message}. Nothing was written; give another key.`);
      }
    }
  }

  async #provider(): Promise<{ provider: string; baseUrl: string }> {
    const { environment } = this.#context;
    let provider = this.#flags.provider ?? (await this.#askForProvider());
    let baseUrl = this.#flags.baseUrl;
    if (provider === undefined) {
      provider = await this.#ask("--provider NAME").text("Name of the endpoint, as you will write it", (name) =>
        providerPattern.test(name) && name !== "scripted" ? undefined : "Small letters, digits, - and _.",
      );
      baseUrl ??= await this.#ask("--base-url URL").text("Its URL (of the API, often with /v1)", urlFault);
    }
    if (!providerPattern.test(provider) || provider === "scripted") {
      throw new UsageError(`"${provider}" cannot be the name of a provider`, "small letters, digits, - and _");
    }
    baseUrl ??= baseUrlOf(provider, this.#values, environment);
    if (baseUrl === undefined) {
      throw new UsageError(
        `the provider "${provider}" is not known`,
        `--base-url URL with it, or one of ${Object.keys(knownProviders).join(", ")}`,
      );
    }
    const fault = urlFault(baseUrl);
    if (fault) throw new UsageError(`the base URL of ${provider} is none: ${fault}`, "--base-url https://HOST/v1");
    return { provider, baseUrl };
  }

  async #askForProvider(): Promise<string | undefined> {
    const { environment } = this.#context;
    const known = Object.entries(knownProviders).map(([name, { keyVariable }]) => {
      const isSet = keyVariable !== undefined && Boolean(environment[keyVariable]);
      const about = isSet ? `${keyVariable} is set` : keyVariable === undefined ? "on this machine" : undefined;
      return { name: about ? `${name}  (${about})` : name, value: name as string | typeof otherEndpoint, isSet };
    });
    const configured = Object.keys(this.#values.providers ?? {})
      .filter((name) => !Object.hasOwn(knownProviders, name))
      .map((name) => ({ name: `${name}  (configured)`, value: name, isSet: true }));
    const options = [...configured, ...known.toSorted((a, b) => Number(b.isSet) - Number(a.isSet))];
    const answer = await this.#ask("--provider NAME").choose<string | typeof otherEndpoint>("Who runs the model?", [
      ...options,
      { name: "another endpoint that speaks OpenAI's chat completions", value: otherEndpoint },
    ]);
    return typeof answer === "string" ? answer : undefined;
  }

  /** By flags the first time; a person is asked when that key did not work. */
  async #key(provider: string, baseUrl: string, flagged: boolean): Promise<ChosenKey> {
    const { keyEnv, keyFile, keyCommand, keyStdin } = this.#flags;
    if (flagged) {
      if (keyEnv !== undefined) return { source: { env: keyEnv } };
      if (keyFile !== undefined) return { source: { file: keyFile } };
      if (keyCommand !== undefined) return { source: { command: keyCommand } };
      if (keyStdin) return { pasted: await this.#keyOfStdin() };
    }
    const known = keySourceOf(provider, this.#values);
    const needsNone = isLoopback(baseUrl);
    if (this.#questions) {
      const { environment, say } = this.#context;
      return askForKey(this.#questions, provider, environment, { needsNone, say });
    }
    if (known && (!("env" in known) || this.#context.environment[known.env])) return { source: known };
    if (needsNone) return "none";
    const variable = known && "env" in known ? `${known.env} is not set` : "none is named";
    throw new UsageError(`no key for ${provider}: ${variable}`, "--key-env, --key-file, --key-command or --key-stdin");
  }

  async #keyOfStdin(): Promise<string> {
    const key = (await text(this.#input.stdin)).trim();
    const fault = keyFault(key);
    if (fault) throw new UsageError(`standard input holds no key: ${fault}`, "tempi init --key-stdin < FILE");
    return key;
  }

  async #keyOf(chosen: ChosenKey): Promise<string | undefined> {
    if (chosen === "none") return undefined;
    if ("pasted" in chosen) return chosen.pasted;
    const { home, environment } = this.#context;
    const key = await keyFrom(home, chosen.source, environment);
    if (key) return key;
    const { source } = chosen;
    const where = "env" in source ? `the variable ${source.env} is not set` : "there is nothing in it";
    throw new ModelError("auth", `no key: ${where}`, { next: "set it, then tempi init" });
  }

  async #model(endpoint: Endpoint): Promise<string> {
    const models = await modelsOf(endpoint);
    const count = models ? `${models.length} models` : "it lists no models";
    this.#context.say(`✓ ${new URL(endpoint.baseUrl).host} answers (${count})`);
    for (let given = this.#flags.model; ; given = undefined) {
      const model = bareName(given, endpoint.provider) ?? (await this.#askForModel(models));
      if (models && !hasModel(models, model)) {
        const ids = models.map(({ id }) => id);
        throw new UsageError(
          `${endpoint.provider} has no model "${model}"; the nearest are ${nearestNames(model, ids, 3).join(", ")}`,
          "--model with one of them",
        );
      }
      try {
        await tryModel(endpoint, model);
        this.#context.say(`✓ ${model} answers`);
        return model;
      } catch (error) {
        if (!this.#questions || !(error instanceof ModelError) || error.kind === "auth") throw error;
        this.#context.say(`✗ ${model}: ${error.message}. Choose another one, or Ctrl-C.`);
      }
    }
  }

  async #askForModel(models: { id: string }[] | undefined): Promise<string> {
    const questions = this.#ask("--model NAME");
    if (!models) return questions.text("Name of the model", (name) => (name === "" ? "It is empty." : undefined));
    return questions.find(
      "Which model? (typing narrows the list)",
      models.map(({ id }) => ({ name: id, value: id })),
    );
  }

  #save({ provider, baseUrl, model }: { provider: string; baseUrl: string; model: string }, chosen: ChosenKey): void {
    const { home, environment, say } = this.#context;
    const isNew = !existsSync(home.configFile);
    let source: ProviderKeySource | undefined;
    if (chosen !== "none" && "source" in chosen) source = chosen.source;
    if (chosen !== "none" && "pasted" in chosen) {
      const file = keyFileOf(home.configFile, provider);
      saveKey(file, chosen.pasted);
      say(`the key is in ${file} (0600)`);
      source = { file: `keys/${provider}` };
    }
    const customary = knownProviders[provider]?.keyVariable;
    if (source && "env" in source && source.env === customary) source = undefined;
    const builtIn = baseUrlOf(provider, {}, environment) === baseUrl;
    saveChoice(home.configFile, {
      provider,
      model,
      ...(builtIn ? {} : { baseUrl }),
      ...(source ? { source } : {}),
    });
    say(`${isNew ? "wrote" : "changed"} ${home.configFile}: model = "${provider}/${model}"`);
    say('Next: tempi run "what to do"');
  }

  #ask(flag: string): Questions {
    if (this.#questions) return this.#questions;
    throw new UsageError(`off a terminal init needs ${flag}`, "tempi init --help");
  }
}

const urlFault = (url: string): string | undefined =>
  /^https?:\/\/[^\s/]/.test(url) && URL.canParse(url) ? undefined : "It must begin with http:// or https://.";

/** `provider/model` and `model` are the same here. */
const bareName = (name: string | undefined, provider: string): string | undefined =>
  name?.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
