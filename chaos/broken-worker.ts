/**
 * The worker with one guard taken out, to show that a run then fails. The product has no switch for that: its sources are
 * changed while this process loads them. A text that is not found ends the worker, so a guard that moved is noticed.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Guard } from "./options.ts";

interface Change {
  /** From the top of the tree. */
  file: string;
  from: string;
  to: string;
}

const changes: Record<Guard, Change[]> = {
  // Each attempt finds an empty folder: what an earlier one wrote down is forgotten.
  journal: [
    {
      file: "activities/call-folder.ts",
      from: "return join(home.calls, sessionId, runId, callId);",
      to: "return join(home.calls, sessionId, runId, callId, Math.random().toString(36).slice(2));",
    },
    { file: "src/tools/command-attempt.ts", from: "ctx.attempt === 1 && !signal.aborted", to: "!signal.aborted" },
  ],
  // Neither the lock nor the comparison just before the rename. In the comparison's place is a pause: on a quick machine two
  // edits side by side may follow each other by chance, and then nothing is lost that could be seen.
  mutex: [
    {
      file: "src/worker/file-mutex.ts",
      from: "const key = keyOf(path);",
      to: "if (path) return await fn(); const key = keyOf(path);",
    },
    {
      file: "src/tools/change-file.ts",
      from: "if ((await readFileState(journal.path)).hash !== journal.preHash) throw new ChangedMeanwhile();",
      to: "await new Promise((resolve) => setTimeout(resolve, 300)); if (!ChangedMeanwhile) return;",
    },
  ],
  // Whatever was shown to the approver counts as what runs.
  digest: [
    {
      file: "activities/execute.ts",
      from: "if (!input.approved || (preview && digestOf(checked, preview, input.cwd) === input.digest)) return;",
      to: "if (digestOf) return;",
    },
  ],
};

const root = join(import.meta.dirname, "..");
const wanted = changes[process.env.CHAOS_BREAK as Guard];
if (!wanted) throw new Error("CHAOS_BREAK names no guard");
const changed = new Map<string, string>();
for (const { file, from, to } of wanted) {
  const path = join(root, file);
  const url = pathToFileURL(path).href;
  const text = changed.get(url) ?? readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
  changed.set(
    url,
    text.replace(from, () => to),
  );
}
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const source = changed.get(url);
    return source === undefined ? loaded : { ...loaded, source };
  },
});
await import("../src/main/worker.ts");
