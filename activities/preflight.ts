import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { activityInfo } from "@temporalio/activity";
import { type HookContext, runBeforeHooks } from "../src/agent/hooks.ts";
import {
  type AssistantMessage,
  type Message,
  type StoredMessage,
  type ToolCall,
  type ToolResultMessage,
  toolCallsOf,
} from "../src/agent/messages.ts";
import type { PreparedCall } from "../src/agent/prepared-call.ts";
import { callKey } from "../src/agent/repeated-failures.ts";
import type { RuleSet } from "../src/agent/rule.ts";
import type { Display, ToolPreview } from "../src/agent/tool.ts";
import { decideByPolicy, type PolicyDecision, type PolicyInput } from "../src/policy/policy.ts";
import { projectRuleOf } from "../src/policy/project-rule.ts";
import type { PreflightSettings, SessionScope } from "../src/protocol/activities.ts";
import { limits } from "../src/protocol/limits.ts";
import { callIdOf } from "../src/protocol/session.ts";
import { validateToolArguments } from "../src/schema/validate.ts";
import { resolveKey } from "../src/tools/paths.ts";
import { boundErrorText, boundResult, sizeOf, wellFormed } from "./bounds.ts";
import { type CheckedCall, checkCall, digestOf, previewOf } from "./checked-call.ts";
import { hasTargets } from "./notify.ts";
import { rememberOf } from "./remember.ts";
import { renderedCall } from "./renderers.ts";
import { withNotice } from "./repeated-notice.ts";
import type { ActivityServices, Toolset } from "./services.ts";
import { toolContext } from "./tool-context.ts";

const displayBytesPerBatch = 512 * 1024;

/** Which calls of an answer are prepared, and by what. */
export interface Preflight extends SessionScope {
  turn: number;
  /** Names of the tools the model was offered. */
  offered: string[];
  /** Positions in the assistant message, from 1. */
  positions: number[];
  settings: PreflightSettings;
  model: string;
  /** Arguments a person edited, for the one call they belong to. */
  editedArgs?: Record<string, unknown>;
}

/** The conversation up to and including the assistant message, for hooks that ask for it. */
type ReadMessages = () => Promise<Message[]>;

/**
 * Preflight of a batch, in source order: lookup, arguments, schema, preview, policy. Runs nothing, may run twice. A call
 * that cannot run gets its result here, made from what its check threw.
 */
export async function prepareCalls(
  services: ActivityServices,
  input: Preflight,
  assistant: AssistantMessage,
  readMessages: ReadMessages,
  signal: AbortSignal,
): Promise<PreparedCall[]> {
  const toolset = await services.toolset(input.cwd);
  const { sessionId, cwd, model } = input;
  const hooks: HookContext = { sessionId, cwd, model, messages: readMessages };
  const all = toolCallsOf(assistant);
  const { runId } = activityInfo().workflowExecution!;
  const environment = await services.environments.of(input.sessionId, runId);
  const batch: Batch = {
    input,
    services,
    toolset,
    assistant,
    hooks,
    signal,
    environment,
    rules: services.rules(input.cwd),
    earlier: new Map(),
    written: new Set(),
  };
  const calls: PreparedCall[] = [];
  for (const position of input.positions) {
    calls.push(await prepareCall(batch, callIdOf(input.turn, position), all[position - 1]!));
  }
  return boundDisplays(calls);
}

interface Batch {
  input: Preflight;
  services: ActivityServices;
  toolset: Toolset;
  assistant: AssistantMessage;
  hooks: HookContext;
  signal: AbortSignal;
  environment: Record<string, string>;
  rules: RuleSet;
  /** Calls of the batch with a provider's id, by id and content. */
  earlier: Map<string, string>;
  /** Resolved paths that earlier calls of the batch write. */
  written: Set<string>;
}

async function prepareCall(batch: Batch, callId: string, call: ToolCall): Promise<PreparedCall> {
  const { input, services, toolset } = batch;
  const { remembered, repeated } = input.settings;
  try {
    refuseDuplicate(batch, callId, call);
    const source = input.editedArgs ? { ...call, arguments: input.editedArgs } : call;
    const { checked, changed, asked } = await withHooks(batch, call, checkCall(toolset.tools, input.offered, source));
    const preview = await previewInBatch(batch, callId, checked);
    const { tool } = checked;
    const lockKeys = preview.paths.filter(({ access }) => access === "write").map(({ path }) => path);
    for (const path of lockKeys) batch.written.add(path);
    const decision = await decide(batch, checked, preview, asked);
    if (decision.kind === "deny") throw new Error(decision.text);
    const remember = await rememberOf(toolset, checked, lockKeys, input.cwd);
    const asks = decision.kind === "ask" && !remembered.includes(remember.rememberKey);
    return {
      callId,
      toolCallId: call.id,
      toolName: tool.name,
      kind: asks ? "ask" : "ready",
      ...(input.editedArgs || changed ? { args: checked.args } : {}),
      effect: tool.effect,
      executionMode: tool.executionMode ?? "parallel",
      lockKeys,
      digest: digestOf(checked, preview, input.cwd),
      summary: wellFormed(renderedCall(tool, checked.args, renderContext(batch, callId)) ?? preview.summary).slice(
        0,
        limits.summaryCharacters,
      ),
      display: preview.display,
      ...(asks ? await asking(batch, checked, preview, decision) : {}),
      ...(asks ? remember : {}),
      ...(asks && hasTargets(services) ? { notify: true } : {}),
    };
  } catch (error) {
    const failures = (repeated?.[callKey(call)] ?? 0) + 1;
    return refused(batch, callId, call, withNotice(boundErrorText(messageOf(error)), failures));
  }
}

/** Shared with the renderer of the result, in the worker that runs the call. */
function renderContext({ input, services }: Batch, callId: string) {
  const { runId } = activityInfo().workflowExecution!;
  return { state: services.renderStates.of(`${runId}/${callId}`), cwd: input.cwd };
}

/** Before-hooks in load order; what one changed passed the schema again. Throws what the model reads when one blocks. */
async function withHooks(batch: Batch, toolCall: ToolCall, checked: CheckedCall) {
  const { toolset, assistant, hooks, signal } = batch;
  const event = { assistantMessage: assistant, toolCall, args: checked.args, context: hooks };
  const recheck = (args: Record<string, unknown>) =>
    validateToolArguments(checked.tool, args) as Record<string, unknown>;
  const outcome = await runBeforeHooks(toolset.hooks.before, event, signal, recheck);
  if (outcome.kind === "block") throw new Error(outcome.reason);
  return { checked: { ...checked, args: outcome.args }, changed: outcome.changed, asked: outcome.asked };
}

/** Why it asks, until when, and what "allow for this repository" would store. */
async function asking(
  batch: Batch,
  checked: CheckedCall,
  preview: ToolPreview,
  { reason, detail, deadlineMs }: Extract<PolicyDecision, { kind: "ask" }>,
): Promise<Pick<PreparedCall, "reason" | "reasonDetail" | "deadlineMs" | "projectRule">> {
  const projectRule = await projectRuleOf(policyInput(batch, checked, preview), reason);
  return {
    reason,
    ...(detail ? { reasonDetail: detail } : {}),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(projectRule ? { projectRule } : {}),
  };
}

/** Policy on what would run now, then the hooks' wish: a hook can make a call ask, never make it run unasked. */
async function decide(
  batch: Batch,
  checked: CheckedCall,
  preview: ToolPreview,
  asked: string[],
): Promise<PolicyDecision> {
  const decision = await decideByPolicy(policyInput(batch, checked, preview));
  if (decision.kind !== "allow" || asked.length === 0) return decision;
  return { kind: "ask", reason: "hook", detail: asked.join("; ").slice(0, 500) };
}

function policyInput(batch: Batch, { tool, args }: CheckedCall, preview: ToolPreview): PolicyInput {
  const { input, services, toolset, environment, rules } = batch;
  const { approval, startedAt } = input.settings;
  return {
    tool,
    ofExtension: toolset.extensionTools.includes(tool.name),
    level: approval,
    rules,
    ...(startedAt === undefined ? {} : { startedAt }),
    preview,
    ...(typeof args.command === "string" ? { command: args.command } : {}),
    cwd: input.cwd,
    ...(environment.PATH ? { searchPath: environment.PATH } : {}),
    tempFolder: tmpdir(),
    tempiFolders: [services.home.root, dirname(services.home.configFile)],
  };
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
  const context = toolContext(services, input, { callId, attempt: 1, environment, signal: batch.signal });
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
