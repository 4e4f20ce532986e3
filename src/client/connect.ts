import { randomUUID } from "node:crypto";
import { WorkflowNotFoundError } from "@temporalio/client";
import { defineSearchAttributeKey } from "@temporalio/common";
import { limits } from "../protocol/limits.ts";
import {
  abortSignal,
  configureSignal,
  finishSignal,
  type PromptSignal,
  promptSignal,
  retrySignal,
  type SessionInput,
  sessionWorkflowType,
  workflowIdOf,
} from "../protocol/session.ts";
import { accountOf } from "./account.ts";
import {
  type ClientContext,
  type ClientOptions,
  closeContext,
  openContext,
  SessionNotFound,
  sessionHandle,
} from "./client-context.ts";
import type { SessionClient } from "./contract.ts";
import { decide, decisionSignal, signConfigure } from "./decide.ts";
import { followSession } from "./follow-session.ts";
import { listSessions, resolveSession } from "./list-sessions.ts";
import { reopeningInput } from "./reopen.ts";
import { eventsBefore } from "./session-events.ts";
import { stateOf } from "./session-state.ts";
import { watchSessions } from "./watch-sessions.ts";

/** A session client on one server. `close` gives the connection back. */
export async function connectSessionClient(
  options: ClientOptions,
): Promise<SessionClient & { close(): Promise<void> }> {
  const context = await openContext(options);
  return {
    start: (input, prompt) => startRun(context, input, { ...prompt, at: Date.now(), delivery: "steer" }),
    list: () => listSessions(context),
    resolve: (prefix) => resolveSession(context, prefix),
    state: (sessionId) => known(sessionId, () => stateOf(context, sessionId)),
    account: (sessionId, options) => known(sessionId, () => accountOf(context, sessionId, options)),
    follow: (sessionId, followOptions) => followSession(context, sessionId, followOptions),
    eventsBefore: (sessionId, seq) => known(sessionId, () => eventsBefore(context, sessionId, seq)),
    watch: (signal) => watchSessions(context, signal),
    send: (sessionId, prompt) => known(sessionId, () => send(context, sessionId, { ...prompt, at: Date.now() })),
    decide: (sessionId, decision) => known(sessionId, () => decide(context, sessionId, decision)),
    decisionSignal: (sessionId, decision) => decisionSignal(context, sessionId, decision),
    abort: (sessionId, by) =>
      known(sessionId, () => sessionHandle(context, sessionId).signal(abortSignal, { id: randomUUID(), by })),
    finish: (sessionId, by) =>
      known(sessionId, () => sessionHandle(context, sessionId).signal(finishSignal, { id: randomUUID(), by })),
    retry: (sessionId, by) =>
      known(sessionId, () => sessionHandle(context, sessionId).signal(retrySignal, { id: randomUUID(), by })),
    configure: (sessionId, changes) =>
      known(sessionId, () =>
        sessionHandle(context, sessionId).signal(configureSignal, signConfigure(context, sessionId, changes)),
      ),
    close: () => closeContext(context),
  };
}

/** Starts the run with its prompt in one step, so that there is never a session without one. */
async function startRun(context: ClientContext, input: SessionInput, prompt: PromptSignal): Promise<void> {
  const { model } = input.previous?.carried.settings ?? input.settings;
  const usage = input.previous?.carried.usage;
  await context.client.workflow.signalWithStart(sessionWorkflowType, {
    workflowId: workflowIdOf(input.sessionId),
    taskQueue: context.taskQueue,
    // A new session never takes the place of a closed one: a start that is sent again late must not empty it.
    workflowIdReusePolicy: input.previous ? "ALLOW_DUPLICATE" : "REJECT_DUPLICATE",
    args: [input],
    workflowTaskTimeout: limits.workflowTaskTimeoutMs,
    signal: promptSignal,
    signalArgs: [prompt],
    memo: {
      title: input.title,
      cwd: input.cwd,
      model: `${model.provider}/${model.model}`,
      ...(usage ? { usage } : {}),
    },
    typedSearchAttributes: [
      { key: defineSearchAttributeKey("TempiState", "KEYWORD"), value: "running" },
      { key: defineSearchAttributeKey("TempiWaiting", "INT"), value: 0 },
      { key: defineSearchAttributeKey("TempiRepo", "KEYWORD"), value: input.repository },
    ],
    staticSummary: input.title,
  });
}

async function send(context: ClientContext, sessionId: string, prompt: PromptSignal): Promise<void> {
  const handle = sessionHandle(context, sessionId);
  const description = await handle.describe();
  if (description.status.name === "RUNNING") {
    try {
      return await handle.signal(promptSignal, prompt);
    } catch (error) {
      // It closed in this very moment: then it is reopened like any closed one.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
  const { runId } = await handle.describe();
  await startRun(context, await reopeningInput(context, workflowIdOf(sessionId), runId), prompt);
}

async function known<T>(sessionId: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError)
      throw new SessionNotFound(`no such session, or it is closed: "${sessionId}"`);
    throw error;
  }
}
