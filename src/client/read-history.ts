import type { Client } from "@temporalio/client";
import type { ApprovalLevel } from "../agent/approval.ts";
import type { Message, StoredMessage } from "../agent/messages.ts";
import type { PreparedCall } from "../agent/prepared-call.ts";
import type {
  CompactInput,
  CompactResult,
  ExecuteResult,
  ModelInput,
  ModelResult,
  PrepareResult,
  SettleInput,
  SettleResult,
  UntilResult,
} from "../protocol/activities.ts";
import { promptMessage } from "../protocol/prompt-message.ts";
import type {
  ConfigureSignal,
  DecideSignal,
  Delivery,
  PromptSignal,
  SessionInput,
  SessionResult,
} from "../protocol/session.ts";
import { decodeFirst, type HistoryEvent, historyEvents } from "./history-events.ts";

/** One run as its history tells it. Needs no worker; works for open, closed and terminated runs. */
export interface RunRecord {
  input: SessionInput | undefined;
  /** Messages of the conversation made in this run, in order. */
  messages: StoredMessage[];
  /** All prompts received, taken or not. */
  prompts: (StoredMessage & { delivery: Delivery })[];
  /** Newest input of a model call: the settings that held then. */
  lastModelInput?: ModelInput;
  /** Approval level that a signal asked for after that, proved or not. */
  configuredApproval?: ApprovalLevel;
  /** Summaries made in this run. */
  summaries: { id: string; text: string }[];
  decisions: (DecideSignal & { at: number })[];
  /** Number of the last turn whose model was asked; 0 when none was. */
  lastTurn: number;
  /** Set when the run closed by itself. */
  result?: SessionResult;
  /** Run that goes on from this one. */
  continuedAs?: string;
  /** Who terminated it and why, when someone did. */
  terminated?: { by: string; reason: string };
  startedAt: number;
}

/**
 * Folds a run's recorded results and prompts into its messages. The order of what the model was shown comes from the ids in
 * model inputs; what came after the last of them follows in the order of the calls.
 */
export async function readRun(client: Client, workflowId: string, runId: string): Promise<RunRecord> {
  const fold = new HistoryFold(runId);
  for await (const event of historyEvents(client, workflowId, runId)) fold.add(event);
  // Prompts that were still queued when the run before ended are named here, but their text stands in that run.
  for (const { id, runId: holder } of fold.promptsElsewhere()) {
    const earlier = await readRun(client, workflowId, holder);
    const prompt = earlier.prompts.find((stored) => stored.id === id);
    if (prompt) fold.addBody(prompt);
  }
  return fold.record();
}

/** Input of a run: its first event alone. */
export async function runInput(client: Client, workflowId: string, runId: string): Promise<SessionInput> {
  for await (const event of historyEvents(client, workflowId, runId, 1)) {
    const input = decodeFirst<SessionInput>(event.workflowExecutionStartedEventAttributes?.input);
    if (input) return input;
    break;
  }
  throw new Error("the history of this session does not begin with an input of ours");
}

/** Which result of a call stands when history holds several: a refused edit of the approver, the tool's, what settled it. */
const ranks = { prepared: 0, executed: 1, settled: 2 };

interface Scheduled {
  type: string;
  activityId: string;
  input: unknown;
}

class HistoryFold {
  readonly #runId: string;
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #bodies = new Map<string, Message>();
  #ids: string[] = [];
  /** Since the last model input: its answer, and results by call position (what `settle` made wins over a late tool). */
  #answer: string | undefined;
  #results = new Map<number, { id: string; rank: number }>();
  /** What a check said of that answer. */
  #checked: string | undefined;
  readonly #record: RunRecord = {
    input: undefined,
    messages: [],
    prompts: [],
    decisions: [],
    summaries: [],
    lastTurn: 0,
    startedAt: 0,
  };

  constructor(runId: string) {
    this.#runId = runId;
  }

  add(event: HistoryEvent): void {
    if (event.workflowExecutionStartedEventAttributes) {
      this.#record.input = decodeFirst(event.workflowExecutionStartedEventAttributes.input);
      this.#record.startedAt = millisecondsOf(event);
    } else if (event.workflowExecutionSignaledEventAttributes) {
      this.#signal(event);
    } else if (event.activityTaskScheduledEventAttributes) {
      this.#schedule(event);
    } else if (event.activityTaskCompletedEventAttributes) {
      const { scheduledEventId, result } = event.activityTaskCompletedEventAttributes;
      const scheduled = this.#scheduled.get(String(scheduledEventId));
      if (scheduled) this.#complete(scheduled, decodeFirst(result));
    } else if (event.workflowExecutionCompletedEventAttributes) {
      const result = decodeFirst<SessionResult>(event.workflowExecutionCompletedEventAttributes.result);
      if (result) this.#record.result = result;
    } else if (event.workflowExecutionContinuedAsNewEventAttributes) {
      const { newExecutionRunId } = event.workflowExecutionContinuedAsNewEventAttributes;
      if (newExecutionRunId) this.#record.continuedAs = newExecutionRunId;
    } else if (event.workflowExecutionTerminatedEventAttributes) {
      const { identity, reason } = event.workflowExecutionTerminatedEventAttributes;
      this.#record.terminated = { by: identity ?? "", reason: reason ?? "" };
    }
  }

  promptsElsewhere(): { id: string; runId: string }[] {
    const carried = this.#record.input?.previous?.carried.queue ?? [];
    return carried.filter(({ id }) => this.#ids.includes(id) && !this.#bodies.has(id));
  }

  addBody({ id, message }: StoredMessage): void {
    this.#bodies.set(id, message);
  }

  record(): RunRecord {
    const tail = this.#answer === undefined ? [] : [this.#answer];
    tail.push(...[...this.#results].sort(([a], [b]) => a - b).map(([, { id }]) => id));
    if (this.#checked !== undefined) tail.push(this.#checked);
    const messages = [...this.#ids, ...tail, ...this.#takenPrompts(this.#ids.length + tail.length)].flatMap(
      (id): StoredMessage[] => {
        const message = this.#bodies.get(id);
        return message ? [{ id, message }] : [];
      },
    );
    return { ...this.#record, messages };
  }

  /** Prompts that were taken last, when the run closed before any input named them: the run's own count tells how many. */
  #takenPrompts(known: number): string[] {
    const carried = this.#record.result?.carried;
    const own = carried?.segments.at(-1);
    if (!carried || !own || own.runId !== this.#runId) return [];
    const queued = new Set(carried.queue.map(({ id }) => id));
    const free = this.#record.prompts.map(({ id }) => id).filter((id) => !queued.has(id) && !this.#ids.includes(id));
    return free.slice(0, Math.max(0, own.to - known));
  }

  #signal(event: HistoryEvent): void {
    const { signalName, input } = event.workflowExecutionSignaledEventAttributes!;
    if (signalName === "prompt") {
      const prompt = decodeFirst<PromptSignal>(input);
      if (typeof prompt?.id !== "string" || typeof prompt.text !== "string" || this.#bodies.has(prompt.id)) return;
      const stored = { id: prompt.id, message: promptMessage(prompt) };
      this.#bodies.set(stored.id, stored.message);
      this.#record.prompts.push({ ...stored, delivery: prompt.delivery });
    } else if (signalName === "configure") {
      const approval = decodeFirst<ConfigureSignal>(input)?.approval;
      if (approval) this.#record.configuredApproval = approval;
    } else if (signalName === "decide") {
      const decision = decodeFirst<DecideSignal>(input);
      if (decision?.approvalId) this.#record.decisions.push({ ...decision, at: millisecondsOf(event) });
    }
  }

  #schedule(event: HistoryEvent): void {
    const { activityType, activityId, input } = event.activityTaskScheduledEventAttributes!;
    const scheduled = { type: activityType?.name ?? "", activityId: activityId ?? "", input: decodeFirst(input) };
    this.#scheduled.set(String(event.eventId), scheduled);
    if (scheduled.type !== "model" && scheduled.type !== "compact") return;
    if (scheduled.type === "model") {
      this.#record.lastModelInput = scheduled.input as ModelInput;
      delete this.#record.configuredApproval;
    }
    const { transcript, turn } = scheduled.input as ModelInput | CompactInput;
    this.#ids = [...this.#ids.slice(0, transcript.from), ...transcript.ids];
    this.#record.lastTurn = turn;
    this.#answer = undefined;
    this.#checked = undefined;
    this.#results.clear();
  }

  #complete({ type, activityId, input }: Scheduled, result: unknown): void {
    if (result === undefined) return;
    if (type === "model") {
      const { stored, prepared } = result as ModelResult;
      this.#bodies.set(stored.id, stored.message);
      this.#answer = stored.id;
      this.#prepared(prepared?.calls ?? []);
    } else if (type === "prepare") {
      this.#prepared((result as PrepareResult).calls);
    } else if (type === "settle") {
      (result as SettleResult).stored.forEach((stored, at) => {
        this.#result((input as SettleInput).calls[at]!.callId, stored, ranks.settled);
      });
    } else if (type === "until") {
      const { failed } = result as UntilResult;
      if (!failed) return;
      this.addBody(failed.stored);
      this.#checked = failed.stored.id;
    } else if (type === "compact") {
      this.#record.summaries.push((result as CompactResult).summary);
    } else {
      // Every tool's activity makes a message; what checks a proof or tells somebody makes none.
      const { stored } = result as Partial<ExecuteResult>;
      if (stored) this.#result(activityId, stored, ranks.executed);
    }
  }

  /** Calls that could not run have their result from the preflight. */
  #prepared(calls: PreparedCall[]): void {
    for (const call of calls) if (call.result) this.#result(call.callId, call.result, ranks.prepared);
  }

  #result(callId: string, { id, message }: StoredMessage, rank: number): void {
    this.#bodies.set(id, message);
    const [turn, position] = callId.split(".").map(Number);
    // A tool given up on may end many turns later; the conversation went on without it.
    const known = this.#results.get(position!);
    if (turn !== this.#record.lastTurn || (known && known.rank > rank)) return;
    this.#results.set(position!, { id, rank });
  }
}

const millisecondsOf = (event: HistoryEvent): number =>
  Number(event.eventTime?.seconds ?? 0) * 1000 + Number(event.eventTime?.nanos ?? 0) / 1e6;
