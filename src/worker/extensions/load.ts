import { pathToFileURL } from "node:url";
import { type Extension, nothingRegistered, type Registered } from "../../agent/extension.ts";
import type { ToolDefinition } from "../../agent/tool.ts";
import { reservedActivityNames } from "../../protocol/activities.ts";
import { schemaFaults } from "../../schema/schema-faults.ts";
import type { ExtensionFile } from "./discover.ts";

const patienceMs = 10_000;

/** What became of one file: what it registered, or why it was skipped. */
export type Loaded = { file: ExtensionFile; registered: Registered } | { file: ExtensionFile; fault: string };

const cache = new Map<string, Promise<Loaded>>();

/** Loads one version of an extension, once. Never rejects: a broken one is named and skipped. */
export function loadExtension(file: ExtensionFile): Promise<Loaded> {
  const key = `${file.path} ${file.hash}`;
  let loading = cache.get(key);
  if (!loading) {
    loading = run(file).then(
      (registered) => ({ file, registered }),
      (error) => ({ file, fault: error instanceof Error ? error.message : String(error) }),
    );
    cache.set(key, loading);
  }
  return loading;
}

async function run(file: ExtensionFile): Promise<Registered> {
  // The query makes the module of a changed file another module.
  const module = (await bounded(import(`${pathToFileURL(file.path).href}?v=${file.hash.slice(0, 12)}`))) as {
    default?: unknown;
  };
  if (typeof module.default !== "function") throw new Error("its default export is not a function");
  const registered = nothingRegistered();
  const from = file.path;
  let open = true;
  const add = <T>(list: T[], entry: T) => {
    if (!open) throw new Error("an extension registers before its function returns");
    list.push(entry);
  };
  await bounded(
    (module.default as Extension)({
      registerTool: (tool: object) =>
        add(registered.tools, { from, run: checkedTool(tool as unknown as ToolDefinition) }),
      beforeToolCall: (hook) => add(registered.before, { from, run: hook }),
      afterToolCall: (hook) => add(registered.after, { from, run: hook }),
      on: (type, listener) => add(registered.listeners, { from, run: { type, listener } }),
    }),
  );
  open = false;
  return registered;
}

/** What a tool must be to be declared and run; else its extension is refused with the tool's name. */
function checkedTool(tool: ToolDefinition): ToolDefinition {
  const name = typeof tool?.name === "string" ? tool.name : "";
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new Error(`tool name "${name}" must be 1 to 64 of A-Z a-z 0-9 _ -`);
  if ((reservedActivityNames as string[]).includes(name))
    throw new Error(`tool "${name}": tempi itself has a part of that name`);
  if (typeof tool.execute !== "function") throw new Error(`tool "${name}" has no execute function`);
  if (!["read", "idempotent", "external"].includes(tool.effect)) {
    throw new Error(`tool "${name}": effect must be "read", "idempotent" or "external"`);
  }
  const [fault] = schemaFaults(tool.parameters);
  if (fault) throw new Error(`tool "${name}": its parameters are not a schema that works: ${fault}`);
  return { ...tool, label: tool.label ?? name, description: String(tool.description ?? "") };
}

/** An extension that hangs must not hang the sessions. */
async function bounded<T>(work: Promise<T> | T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not load within ${patienceMs / 1000} s`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
