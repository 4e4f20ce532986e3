import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AgentToolResult, type ToolContext, textResult } from "../agent/tool.ts";
import type { ChangeDetails } from "./diffs.ts";
import { replaceFile, temporaryNameFor, writeRecord } from "./durable-write.ts";
import { withFileErrors } from "./file-errors.ts";
import { assertWritable, type FileState, hashOf, readFileState } from "./file-state.ts";

/** A change of one file, computed from what stands there. */
export interface PlannedChange {
  content: Uint8Array;
  /** What the model reads on success. */
  text: string;
  details: ChangeDetails;
}

/** Stands on disk before the file is touched; tells a later attempt how far this one came. */
interface ChangeJournal {
  version: 1;
  callId: string;
  path: string;
  preHash: string;
  postHash: string;
  temporaryName: string;
  text: string;
  details: ChangeDetails;
}

/**
 * Changes a file once, however often the call is delivered: pre- and post-hash are journaled first, and a further attempt
 * looks which of them the file has. Holds the file's mutex throughout, also when aborted in the middle.
 * @param path resolved path
 * @param shown the path as people read it
 * @param plan computes the change; throws the text for the model when it cannot be made
 * @throws the signal's reason when aborted before the file was touched; a file error
 */
export function changeFile(
  ctx: ToolContext,
  { path, shown, signal }: { path: string; shown: string; signal: AbortSignal },
  plan: (before: FileState) => PlannedChange,
): Promise<AgentToolResult<ChangeDetails>> {
  return ctx.withFileMutex(path, () =>
    withFileErrors(shown, async () => {
      signal.throwIfAborted();
      const journal = await readJournal(ctx);
      if (journal) return resume(ctx, journal, path, shown, plan);
      const before = await readFileState(path);
      const change = plan(before);
      await assertWritable(path, before);
      const entry: ChangeJournal = {
        version: 1,
        callId: ctx.callId,
        path,
        preHash: before.hash,
        postHash: hashOf(change.content),
        temporaryName: temporaryNameFor(),
        text: change.text,
        details: change.details,
      };
      signal.throwIfAborted();
      await writeRecord(journalFile(ctx), entry);
      return apply(ctx, entry, before, change.content, shown);
    }),
  );
}

/** Decides by what the file is now: done, still to do, or changed by someone else. */
async function resume(
  ctx: ToolContext,
  journal: ChangeJournal,
  path: string,
  shown: string,
  plan: (before: FileState) => PlannedChange,
): Promise<AgentToolResult<ChangeDetails>> {
  if (journal.path !== path) return conflict(shown);
  await rm(join(dirname(path), journal.temporaryName), { force: true }).catch(() => undefined);
  const now = await readFileState(path);
  // The mark survives later changes by others: the effect happened, whatever the file holds today.
  if (now.hash === journal.postHash || (await isMarkedDone(ctx))) return success(journal);
  if (now.hash !== journal.preHash) return conflict(shown);
  const { content } = plan(now);
  if (hashOf(content) !== journal.postHash) return conflict(shown);
  return apply(ctx, journal, now, content, shown);
}

async function apply(
  ctx: ToolContext,
  journal: ChangeJournal,
  before: FileState,
  content: Uint8Array,
  shown: string,
): Promise<AgentToolResult<ChangeDetails>> {
  try {
    await replaceFile({
      path: journal.path,
      content,
      temporaryName: journal.temporaryName,
      ...(before.exists ? { before } : {}),
      check: async () => {
        if ((await readFileState(journal.path)).hash !== journal.preHash) throw new ChangedMeanwhile();
      },
    });
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return conflict(shown);
    throw error;
  }
  await writeFile(doneFile(ctx), "", { mode: 0o600 }).catch(() => undefined);
  return success(journal);
}

class ChangedMeanwhile extends Error {}

const success = (journal: ChangeJournal): AgentToolResult<ChangeDetails> => ({
  ...textResult(journal.text),
  details: journal.details,
});

const conflict = (shown: string): AgentToolResult<ChangeDetails> => ({
  ...(textResult(
    `Conflict: someone else changed ${shown} while this call was under way. This call did not overwrite it. Read the file again and repeat the change if it is still wanted.`,
  ) as AgentToolResult<ChangeDetails>),
  isError: true,
});

const journalFile = (ctx: ToolContext): string => join(ctx.callFolder, "change.json");
const doneFile = (ctx: ToolContext): string => join(ctx.callFolder, "change.done");

async function readJournal(ctx: ToolContext): Promise<ChangeJournal | undefined> {
  try {
    return JSON.parse(await readFile(journalFile(ctx), "utf8")) as ChangeJournal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`The journal of this call cannot be read: ${(error as Error).message}`);
  }
}

const isMarkedDone = (ctx: ToolContext): Promise<boolean> =>
  readFile(doneFile(ctx)).then(
    () => true,
    () => false,
  );
