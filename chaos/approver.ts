import { appendFileSync, existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Approval, DecisionKind } from "../src/agent/approval.ts";
import { type DecideSignal, decideSignal, type SessionState, workflowIdOf } from "../src/protocol/session.ts";
import type { ChaosConnection } from "./connection.ts";
import { patiently } from "./patiently.ts";
import { Random } from "./random.ts";
import type { World } from "./world.ts";

/** How an approval is answered. */
type Style = "allow" | "deny" | "allowThreeTimes" | "allowThenDeny" | "denyThenAllow" | "late" | "changedBefore";

const weights: Record<Style, number> = {
  allow: 5,
  deny: 1,
  allowThreeTimes: 2,
  allowThenDeny: 1,
  denyThenAllow: 1,
  late: 1,
  // Where it can be done, see below.
  changedBefore: 0,
};

export interface GivenDecision {
  sessionId: string;
  approvalId: string;
  toolCallId: string;
  style: Style;
}

/** A person with a nervous finger: decides each approval once, several times, late, or after its file was changed. */
export class Approver {
  readonly given: GivenDecision[] = [];
  /** Lines that were added to files while their approval waited. */
  readonly changed: { file: string; line: string }[] = [];
  readonly #seed: number;
  readonly #world: World;
  readonly #connection: ChaosConnection;
  readonly #seen = new Set<string>();
  /** The next approval is answered with all that can be doubled (F18). */
  #doubleNext: ((sessionId: string) => void) | undefined;

  constructor(seed: number, world: World, connection: ChaosConnection) {
    this.#seed = seed;
    this.#world = world;
    this.#connection = connection;
  }

  /** Resolves with the session whose next approval is answered ten times over, or undefined after `patienceMs`. */
  doubleNext(patienceMs: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#doubleNext = resolve;
      setTimeout(() => resolve(undefined), patienceMs).unref();
    });
  }

  look(session: number, { sessionId, pending }: SessionState): void {
    const fresh = pending.filter(({ id }) => !this.#seen.has(id));
    for (const { id } of fresh) this.#seen.add(id);
    const random = new Random(this.#seed, `approve/${session}/${fresh[0]?.toolCallId}`);
    // Not in the order in which they were asked.
    const ordered = fresh.length > 1 && random.chance(0.5) ? fresh.toReversed() : fresh;
    void (async () => {
      for (const approval of ordered) await this.#answer(sessionId, approval, random);
    })();
  }

  async #answer(sessionId: string, approval: Approval, random: Random): Promise<void> {
    let style = random.weighted(weights);
    const doubled = this.#doubleNext;
    this.#doubleNext = undefined;
    if (random.chance(0.5) && this.#change(approval)) style = "changedBefore";
    this.given.push({ sessionId, approvalId: approval.id, toolCallId: approval.toolCallId, style });
    await sleep(random.between(0, 400));
    doubled?.(sessionId);
    const times = doubled ? 10 : style === "allowThreeTimes" ? 3 : 1;
    const first: DecisionKind = style === "deny" || style === "denyThenAllow" ? "deny" : "allow";
    const signal = this.#signed(sessionId, approval.id, first);
    for (let time = 0; time < times; time++) await this.#send(sessionId, signal);
    if (times > 1) await this.#send(sessionId, this.#signed(sessionId, approval.id, first));
    if (style === "allowThenDeny") await this.#send(sessionId, this.#signed(sessionId, approval.id, "deny"));
    if (style === "denyThenAllow") await this.#send(sessionId, this.#signed(sessionId, approval.id, "allow"));
    if (style !== "late") return;
    await sleep(1_500);
    await this.#send(sessionId, this.#signed(sessionId, approval.id, "deny"));
  }

  /** Somebody else changes the file while the approval waits, so that the edit would still fit (F13). */
  #change({ display, toolName }: Approval): boolean {
    if (toolName !== "edit") return false;
    const path = display.find((part) => part.kind === "diff")?.path;
    const file = path === undefined ? undefined : resolve(this.#world.places.workspace, path);
    // Files that others edit at the same time are left alone: this change takes no lock.
    if (!file?.includes("/outside/") || !existsSync(file)) return false;
    const line = `outside while-waiting-${this.given.length}`;
    appendFileSync(file, `${line}\n`);
    this.changed.push({ file: relative(this.#world.places.workspace, file), line });
    return true;
  }

  #signed(sessionId: string, approvalId: string, decision: DecisionKind): DecideSignal {
    const words = this.#connection.sessions.decisionSignal(sessionId, { approvalId, decision, by: "chaos" });
    return JSON.parse(words[words.indexOf("--input") + 1]!) as DecideSignal;
  }

  async #send(sessionId: string, signal: DecideSignal): Promise<void> {
    const handle = this.#connection.context.client.workflow.getHandle(workflowIdOf(sessionId));
    await patiently(() => handle.signal(decideSignal, signal)).catch(() => undefined);
  }
}
