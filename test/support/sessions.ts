import { randomInt, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DefaultLogger, Runtime } from "@temporalio/worker";
import { inject, onTestFinished } from "vitest";
import type { SessionEvent } from "../../src/agent/events.ts";
import { type AssistantMessage, type Message, noUsage, type ToolCall } from "../../src/agent/messages.ts";
import type { ToolDefinition } from "../../src/agent/tool.ts";
import { connectSessionClient } from "../../src/client/connect.ts";
import type { FollowItem, SessionClient } from "../../src/client/contract.ts";
import { decisionKeyOf, type Home, homeOf, machineIdOf, prepareHome } from "../../src/config/home.ts";
import { rulesOf } from "../../src/main/rules.ts";
import { type SessionInput, type SessionState, sessionIdAlphabet, taskQueueOf } from "../../src/protocol/session.ts";
import type { ModelRequest, StreamAssistant } from "../../src/providers/contract.ts";
import { builtInTools } from "../../src/tools/index.ts";
import { toolsetOf } from "../../src/worker/extensions/toolset.ts";
import { startSessionWorker } from "../../src/worker/session-worker.ts";
import { recordHistories } from "./record-histories.ts";

// The SDK logs expected failures of activities; a test that needs them looks at the session.
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger("ERROR", () => undefined) });

type Answer = string | (string | ToolCall)[] | AssistantMessage | Error;

/** A model that answers by the number of answers it sees; `requests` is what it was asked. */
export interface FakeModel {
  stream: StreamAssistant;
  requests: ModelRequest[];
}

export function fakeModel(
  answer: (turn: number, request: ModelRequest, signal: AbortSignal) => Answer | Promise<Answer>,
): FakeModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    stream: async (request, { signal }) => {
      requests.push(structuredClone({ ...request, tools: [] }));
      const turn = request.messages.filter(({ role }) => role === "assistant").length + 1;
      const given = await answer(turn, request, signal);
      if (given instanceof Error) throw given;
      if (typeof given === "object" && "role" in given) return given;
      return messageOf(typeof given === "string" ? [given] : given);
    },
  };
}

export const toolCall = (name: string, args: Record<string, unknown>, id: string = randomUUID()): ToolCall => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});

export const bash = (command: string): ToolCall => toolCall("bash", { command });

export function messageOf(
  content: (string | ToolCall)[],
  stopReason: AssistantMessage["stopReason"] = "stop",
): AssistantMessage {
  return {
    role: "assistant",
    content: content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
    provider: "fake",
    model: "fake",
    usage: { ...noUsage(), input: 10, output: 5 },
    stopReason,
    timestamp: Date.now(),
  };
}

/** A home, a workspace, a worker of the real kind in this process, and a client; all gone when the test ends. */
export class TestSessions {
  readonly home: Home;
  readonly workspace: string;
  readonly address = inject("temporalAddress");
  client!: SessionClient & { close(): Promise<void> };
  /** Whom the worker tells when something waits. */
  notifyTargets: { command?: string; url?: string; page?: string } = {};
  /** Id of the newest session, known before its first request to the model. */
  lastId = "";
  #stop: () => Promise<void> = async () => undefined;

  constructor() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "tempi-sessions-")));
    // The bundled workflow code is kept for all tests; everything else is this test's own.
    this.home = { ...homeOf({ TEMPI_HOME: join(folder, "home") }), cache: join(tmpdir(), "tempi-test-cache") };
    prepareHome(this.home);
    this.workspace = join(folder, "workspace");
    mkdirSync(this.workspace);
    onTestFinished(async ({ task }) => {
      if (process.env.TEMPI_RECORD) await recordHistories(this.address, taskQueueOf(machineIdOf(this.home)), task.name);
      await this.stopWorker();
      await this.client?.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  static async start(model: FakeModel, tools: ToolDefinition[] = builtInTools()): Promise<TestSessions> {
    const sessions = new TestSessions();
    await sessions.startWorker(model, tools);
    sessions.client = await connectSessionClient({
      address: sessions.address,
      namespace: "default",
      home: sessions.home,
    });
    return sessions;
  }

  async startWorker(model: FakeModel, tools: ToolDefinition[] = builtInTools()): Promise<void> {
    const worker = await startSessionWorker({
      home: this.home,
      address: this.address,
      namespace: "default",
      services: this.#services(model, tools),
    });
    const state = {
      pid: process.pid,
      startedAt: Date.now(),
      version: "test",
      address: this.address,
      namespace: "default",
      socket: worker.socket,
    };
    writeFileSync(join(this.home.run, "worker.json"), JSON.stringify(state));
    this.#stop = async () => {
      rmSync(join(this.home.run, "worker.json"), { force: true });
      worker.shutdown();
      await worker.run;
    };
  }

  /** A second worker of the same machine, as while an old one hands over. Without live socket of its own. */
  async alsoWorker(model: FakeModel, tools: ToolDefinition[] = builtInTools()): Promise<void> {
    const home = { ...this.home, run: join(this.home.root, "run-2") };
    mkdirSync(home.run, { mode: 0o700 });
    const worker = await startSessionWorker({
      home,
      address: this.address,
      namespace: "default",
      services: this.#services(model, tools),
    });
    const stop = this.#stop;
    this.#stop = async () => {
      worker.shutdown();
      await Promise.all([worker.run, stop()]);
    };
  }

  #services(model: FakeModel, tools: ToolDefinition[]) {
    return {
      toolset: async (cwd: string) => await toolsetOf(this.home, cwd, tools),
      rules: (cwd: string) => rulesOf(this.home, cwd),
      notifyTargets: () => this.notifyTargets,
      streamAssistant: model.stream,
      apiKeyFor: async () => undefined,
      modelOptions: () => ({}),
      decisionKey: () => decisionKeyOf(this.home),
    };
  }

  async stopWorker(): Promise<void> {
    const stop = this.#stop;
    this.#stop = async () => undefined;
    await stop();
  }

  /** Starts a session; by default everything runs without asking. */
  async run(
    prompt: string,
    settings: Partial<SessionInput["settings"]> = {},
    input: Partial<SessionInput> = {},
  ): Promise<string> {
    const sessionId = Array.from({ length: 6 }, () => sessionIdAlphabet[randomInt(sessionIdAlphabet.length)]).join("");
    this.lastId = sessionId;
    await this.client.start(
      {
        v: 1,
        sessionId,
        title: prompt,
        cwd: this.workspace,
        repository: "workspace",
        // Nothing of the machine that runs the tests: recorded histories hold it.
        environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.home.root },
        settings: {
          model: { provider: "fake", model: "fake" },
          thinking: "off",
          approval: "auto",
          activeTools: ["read", "bash", "edit", "write"],
          maxTurns: 200,
          ...settings,
        },
        closeAfterMs: 600_000,
        ...input,
      },
      { id: randomUUID(), text: prompt },
    );
    return sessionId;
  }

  /** Follows until an item fits; returns all events so far and the item. */
  async until(
    sessionId: string,
    fits: (item: FollowItem) => boolean,
    after = 0,
  ): Promise<{ events: SessionEvent[]; items: FollowItem[] }> {
    const stop = new AbortController();
    const items: FollowItem[] = [];
    for await (const item of this.client.follow(sessionId, { after, signal: stop.signal })) {
      items.push(item);
      if (fits(item)) break;
    }
    stop.abort();
    return { events: items.flatMap((item) => (item.kind === "event" ? [item.event] : [])), items };
  }

  /** Follows until the session is in a state, told by an event after `after`. */
  async untilState(sessionId: string, state: SessionState["state"], after = 0): Promise<SessionEvent[]> {
    const { events } = await this.until(
      sessionId,
      (item) => item.kind === "event" && item.event.type === "state_changed" && item.event.state === state,
      after,
    );
    return events;
  }
}

/** Texts of the results in a model request, in order. */
export const resultTexts = (messages: Message[]): string[] =>
  messages.flatMap((message) =>
    message.role === "toolResult"
      ? [message.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")]
      : [],
  );
