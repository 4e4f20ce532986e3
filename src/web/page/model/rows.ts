import type { Approval, DecisionKind, DecisionVia, Remember } from "../../../agent/approval.ts";
import type {
  AssistantMessage,
  ImageContent,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../../../agent/messages.ts";
import type { LiveTextBlock } from "../../../protocol/live-text.ts";
import type { SignState } from "./signs.ts";

export interface Resolution {
  decision: DecisionKind | "withdrawn";
  by: string;
  via?: DecisionVia;
  remember?: Remember;
  /** The call's summary with the arguments a person changed. */
  edited?: string;
  reason?: string;
  at: number;
}

export interface PromptRow {
  kind: "prompt";
  key: string;
  /** The check of an answer said it, no person. */
  source?: UserMessage["source"];
  at: number;
  content: UserMessage["content"];
}

/** An answer of the model: `message` once it is recorded, `live` while it streams. */
export interface AnswerRow {
  kind: "answer";
  key: string;
  turn: number;
  at?: number;
  message?: AssistantMessage;
  live?: LiveTextBlock[];
}

export interface CallRow {
  kind: "call";
  key: string;
  turn: number;
  toolCallId: string;
  toolName: string;
  summary: string;
  call?: ToolCall;
  startedAt: number;
  approval?: Approval;
  resolution?: Resolution;
  /** Another call of the same answer waits for a person: this one has not begun. */
  held?: boolean;
  ended?: { at: number; isError: boolean; durationMs: number };
  result?: ToolResultMessage;
  /** Output so far. */
  output?: string;
}

export interface NoteRow {
  kind: "note";
  key: string;
  at: number;
  tone: "plain" | "warning" | "error";
  text: string;
  /** Command that mends it. */
  next?: string;
}

export type Row = PromptRow | AnswerRow | CallRow | NoteRow;

/** A call waits for a person until it is decided or over. */
export const asks = (row: CallRow): boolean =>
  row.approval !== undefined && row.resolution === undefined && row.ended === undefined;

/** Why a call never began, in words; undefined for one that ran or may still. */
export function notRunWords({ resolution, result }: CallRow): string | undefined {
  if (resolution?.decision === "deny") return "denied";
  if (resolution?.decision === "withdrawn") return "withdrawn";
  const code = (result?.details as { settled?: unknown } | undefined)?.settled;
  switch (code) {
    case "denied":
      return "denied";
    case "aborted":
      return "stopped before it began";
    case "length":
      return "not run: the answer was cut off";
    case "tooMany":
      return "not run: too many calls in one answer";
    default:
      return undefined;
  }
}

export function signOfCall(row: CallRow): SignState {
  if (asks(row)) return "asks";
  if (notRunWords(row) !== undefined) return "none";
  if (row.ended === undefined && row.result === undefined) return row.held ? "held" : "running";
  return (row.ended?.isError ?? row.result?.isError) ? "failed" : "done";
}

/** `exit 1` for a command that failed. */
export function exitWords(result: ToolResultMessage | undefined): string | undefined {
  const code = (result?.details as { exitCode?: unknown } | undefined)?.exitCode;
  return typeof code === "number" && code !== 0 ? `exit ${code}` : undefined;
}

const viaWords: Record<DecisionVia, string> = {
  page: "on a page",
  command: "by a command",
  terminal: "at a terminal",
  signal: "by a signal",
  deadline: "by its deadline",
};

/** `allowed by ann@pc at a terminal, for this session`. */
export function resolutionWords({ decision, by, via, remember, edited }: Omit<Resolution, "at">): string {
  const verb = { allow: "allowed", deny: "denied", withdrawn: "withdrawn" }[decision];
  const how = via === undefined ? "" : ` ${viaWords[via]}`;
  const long = remember === undefined ? "" : remember === "session" ? ", for this session" : ", in this repository";
  const changed = edited === undefined ? "" : " with changed arguments";
  return `${verb}${changed} by ${by}${how}${long}`;
}

export const imagesOf = (content: readonly (TextContent | ImageContent)[]): ImageContent[] =>
  content.filter((block): block is ImageContent => block.type === "image");
