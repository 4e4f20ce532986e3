import { createHash, randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { activityInfo } from "@temporalio/activity";
import {
  type AssistantMessage,
  type StoredMessage,
  type ToolCall,
  type ToolResultMessage,
  toolCallsOf,
} from "../src/agent/messages.ts";
import type { PreparedCall } from "../src/agent/prepared-call.ts";
import { callKey } from "../src/agent/repeated-failures.ts";
import type { Display, ToolContext, ToolPreview } from "../src/agent/tool.ts";
import type { PreflightSettings, SessionScope } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { callIdOf } from "../src/protocol/session.ts";
import { resolveKey } from "../src/tools/paths.ts";
import { decideByPolicy } from "../src/tools/policy.ts";
import { boundErrorText, boundResult, sizeOf, wellFormed } from "./bounds.ts";
import { callFolderOf } from "./call-folder.ts";
import { type CheckedCall, checkCall, digestOf, previewOf } from "./checked-call.ts";
import { withNotice } from "./repeated-notice.ts";
import type { ActivityServices } from "./services.ts";

const displayBytesPerBatch = 512 * 1024;

/** Which calls of an answer are prepared, and by what. */
export interface Preflight extends SessionScope {
  turn: number;
  /** Names of the tools the model was offered. */
  offered: string[];
  /** Positions in the assistant message, from 1. */
  positions: number[];
  settings: PreflightSettings;
  /** Arguments a person edited, for the one call they belong to. */
  editedArgs?: Record<string, unknown>;
}

/**
 * Preflight of a batch, in source order: lookup, arguments, schema, preview, policy. Runs nothing, may run twice. A call
 * that cannot run gets its result here, made from what its check threw.
 */
export async function prepareCalls(
  services: ActivityServices,
  input: Preflight,
  assistant: AssistantMessage,
): Promise<PreparedCall[]> {
  const all = toolCallsOf(assistant);
  const { runId } = activityInfo().workflowExecution!;
  const environment = await services.environments.of(input.sessionId, runId);
  const batch: Batch = { input, services, environment, earlier: new Map(), written: new Set() };
  const calls: PreparedCall[] = [];
  for (const position of input.positions) {
    calls.push(await prepareCall(batch, callIdOf(input.turn, position), all[position - 1]!));
  }
  return boundDisplays(calls);
}

interface Batch {
  input: Preflight;
  services: ActivityServices;
  environment: Record<string, string>;
  /** Calls of the batch with a provider's id, by id and content. */
  earlier: Map<string, string>;
  /** Resolved paths that earlier calls of the batch write. */
  written: Set<string>;
}

async function prepareCall(batch: Batch, callId: string, call: ToolCall): Promise<PreparedCall> {
  const { input, services } = batch;
  const { approval, remembered, repeated } = input.settings;
  try {
    refuseDuplicate(batch, callId, call);
    const source = input.editedArgs ? { ...call, arguments: input.editedArgs } : call;
    const checked = checkCall(services.tools, input.offered, source);
    const preview = await previewInBatch(batch, callId, checked);
    const digest = digestOf(checked, preview, input.cwd);
    const { tool } = checked;
    const lockKeys = preview.paths.filter(({ access }) => access === "write").map(({ path }) => path);
    for (const path of lockKeys) batch.written.add(path);
    const command = typeof checked.args.command === "string" ? checked.args.command : undefined;
    const decision = await decideByPolicy({
      tool,
      level: approval,
      preview,
      ...(command === undefined ? {} : { command }),
      cwd: input.cwd,
      ...(batch.environment.PATH ? { searchPath: batch.environment.PATH } : {}),
      tempFolder: tmpdir(),
      tempiFolders: [services.home.root, services.home.configFile],
    });
    const remember = rememberOf(checked, lockKeys, input.cwd);
    const asks = decision.kind === "ask" && !(remember && remembered.includes(remember.rememberKey));
    return {
      callId,
      toolCallId: call.id,
      toolName: tool.name,
      kind: asks ? "ask" : "ready",
      ...(input.editedArgs ? { args: checked.args } : {}),
      effect: tool.effect,
      executionMode: tool.executionMode ?? "parallel",
      lockKeys,
      digest,
      summary: wellFormed(preview.summary).slice(0, limits.summaryCharacters),
      display: preview.display,
      ...(asks ? { reason: decision.reason, ...(decision.detail ? { reasonDetail: decision.detail } : {}) } : {}),
      ...(asks && remember ? remember : {}),
    };
  } catch (error) {
    const failures = repeated?.key === callKey(call) ? repeated.count + 1 : 1;
    return refused(batch, callId, call, withNotice(boundErrorText(messageOf(error)), failures));
  }
}

/** The same id with the same content twice in one answer is one call sent twice: the work must not be done twice. */
function refuseDuplicate(batch: Batch, callId: string, call: ToolCall): void {
  if (call.id === "") return;
  const key = `${call.id}\n${callKey(call)}`;
  const first = batch.earlier.get(key);
  if (first)
    throw new Error(`The same call with the same id came twice in one answer; it was run once, as call ${first}.`);
  batch.earlier.set(key, callId);
}

/** An edit may build on what an earlier call of the batch will write: then its own check waits until it runs. */
async function previewInBatch(batch: Batch, callId: string, checked: CheckedCall): Promise<ToolPreview> {
  const { input, services, environment } = batch;
  const context: ToolContext = {
    sessionId: input.sessionId,
    cwd: input.cwd,
    callId,
    attempt: 1,
    environment,
    callFolder: callFolderOf(services.home, input.sessionId, activityInfo().workflowExecution!.runId, callId),
    withFileMutex: services.fileMutex,
  };
  try {
    return await previewOf(checked, context);
  } catch (error) {
    if (typeof checked.args.path !== "string") throw error;
    const path = await resolveKey(checked.args.path, input.cwd);
    if (!batch.written.has(path)) throw error;
    const text = JSON.stringify(checked.args, null, 2);
    return {
      summary: checked.args.path,
      display: [{ kind: "text", text: `${text}\n(applies to what an earlier call of this answer writes)` }],
      paths: [{ path, access: "write" }],
      digestParts: [],
    };
  }
}

/**
 * What "allow for this session" would store: this exact command in this folder, or this tool on this file. The key is a hash,
 * because every model input names all of them.
 */
function rememberOf({ tool, args }: CheckedCall, lockKeys: string[], cwd: string) {
  const keyOf = (...parts: string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  if (typeof args.command === "string") {
    return { rememberKey: keyOf(tool.name, args.command, cwd), rememberText: `${tool.name}: ${args.command}` };
  }
  const [path] = lockKeys;
  return path ? { rememberKey: keyOf(tool.name, path), rememberText: `${tool.name}: ${path}` } : undefined;
}

function refused({ services }: Batch, callId: string, call: ToolCall, text: string): PreparedCall {
  const message: ToolResultMessage = boundResult({
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text }],
    isError: true,
    timestamp: Date.now(),
  });
  const result: StoredMessage<ToolResultMessage> = { id: `p-${randomUUID()}`, message };
  services.transcripts.keep(result);
  return {
    callId,
    toolCallId: wellFormed(call.id),
    toolName: wellFormed(call.name),
    kind: "immediate",
    result,
    effect: "read",
    executionMode: "parallel",
    lockKeys: [],
    digest: "",
    summary: "",
    display: [],
  };
}

/** Displays are for people who decide, so only calls that ask keep theirs; together they fit one activity result. */
function boundDisplays(calls: PreparedCall[]): PreparedCall[] {
  const asking = calls.filter(({ kind }) => kind === "ask").length;
  const each = Math.min(limits.displayBytes, displayBytesPerBatch / Math.max(1, asking));
  return calls.map((call) => ({
    ...call,
    display: call.kind === "ask" ? call.display.map((display) => boundDisplay(display, each)) : [],
  }));
}

function boundDisplay(display: Display, bytes: number): Display {
  const whole = wellFormed(display);
  if (sizeOf(whole) <= bytes) return whole;
  const cut = (text: string) =>
    `${text.slice(0, Math.floor(bytes / 4))}\n[… ${text.length} characters in all; the rest is not shown here]`;
  if (whole.kind === "command") return { ...whole, command: cut(whole.command) };
  return whole.kind === "diff" ? { ...whole, patch: cut(whole.patch) } : { ...whole, text: cut(whole.text) };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
