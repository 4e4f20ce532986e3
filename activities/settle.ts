import { randomUUID } from "node:crypto";
import type { StoredMessage, ToolResultMessage } from "../src/agent/messages.ts";
import { settledText } from "../src/agent/settled.ts";
import type { SettleInput, SettleResult } from "../src/protocol/activities.ts";
import { boundResult } from "./bounds.ts";
import type { ActivityServices } from "./services.ts";

/** Makes the results that no tool made (denied, aborted, cut off), so that each text stands in history as an activity's result. */
export const settleActivity =
  (services: ActivityServices) =>
  async ({ calls }: SettleInput): Promise<SettleResult> => {
    const stored = calls.map((call): StoredMessage<ToolResultMessage> => {
      const message = boundResult({
        role: "toolResult",
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        content: [{ type: "text", text: settledText(call) }],
        details: { callId: call.callId, settled: call.code },
        isError: true,
        timestamp: Date.now(),
      });
      return { id: `s-${randomUUID()}`, message };
    });
    for (const entry of stored) services.transcripts.keep(entry);
    return { v: 1, stored };
  };
