import type { Approval, DecisionKind, DecisionVia, Remember } from "./approval.ts";
import type { StopReason, Usage } from "./messages.ts";

/** States of a session, in the order of `tempi list`. `retrying` and `offline` are computed by readers. */
export type SessionStateName =
  | "waiting"
  | "blocked"
  | "running"
  | "retrying"
  | "offline"
  | "idle"
  | "stopped"
  | "failed"
  | "ended";

/** What the pure loop tells. Names are Pi's. Messages are named by id: their text stands elsewhere, once. */
export type AgentEvent =
  | { type: "agent_start" }
  | { type: "turn_start"; turn: number }
  | { type: "message_start"; messageId: string; role: "user" | "assistant" | "toolResult" }
  | {
      type: "message_end";
      messageId: string;
      role: "user" | "assistant" | "toolResult";
      /** Position in the session's transcript, from 0; goes on through continue-as-new and reopening. */
      index: number;
      toolCallId?: string;
      toolName?: string;
      isError?: boolean;
      stopReason?: StopReason;
    }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; summary: string }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      summary: string;
      isError: boolean;
      durationMs: number;
    }
  | { type: "turn_end"; turn: number; usage: Usage }
  | { type: "agent_end"; reason: AgentEndReason; errorMessage?: string };

export type AgentEndReason =
  | "answered"
  | "terminated"
  | "aborted"
  | "failed"
  | "blocked"
  /** The limits: turns, the same call failing, the same check failing, time, money. */
  | LimitReason;

const limitReasons = ["maxTurns", "repeated", "until", "timeout", "budget"] as const;
export type LimitReason = (typeof limitReasons)[number];
export const isLimit = (reason: AgentEndReason | undefined): reason is LimitReason =>
  (limitReasons as readonly (string | undefined)[]).includes(reason);

/** What the session adds around the loop. */
export type SessionOnlyEvent =
  | { type: "state_changed"; state: SessionStateName; cause?: string; next?: string }
  | { type: "approval_requested"; approval: Approval }
  | {
      type: "approval_resolved";
      approvalId: string;
      toolCallId: string;
      decision: DecisionKind | "withdrawn";
      by: string;
      via?: DecisionVia;
      /** The decision also made a rule. */
      remember?: Remember;
      /** It was allowed with other arguments than the model's: the call's summary as it runs. */
      edited?: string;
      reason?: string;
    }
  | { type: "decision_refused"; approvalId: string; by: string; reason: string }
  | { type: "configured"; changes: Record<string, string> }
  /** Tokens before and after; an error instead when it did not work (the transcript is as it was). */
  | { type: "compaction_end"; tokensBefore: number; tokensAfter?: number; usage?: Usage; errorMessage?: string }
  | { type: "compaction_start"; tokensBefore: number }
  | { type: "notice"; text: string };

/** A durable event: `seq` counts from 1 and goes on through continue-as-new and reopening; `at` is milliseconds since 1970. */
export type SessionEvent = (AgentEvent | SessionOnlyEvent) & { seq: number; at: number };
