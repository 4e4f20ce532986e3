import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectedClient } from "../../cli/services.ts";
import { type Home, workerFileOf } from "../../config/home.ts";

export interface DemoWatch {
  client: ConnectedClient;
  home: Home;
  sessionId: string;
  /** Answers the approval itself, where nobody sits. */
  answer: boolean;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** What the demo saw and did beside the follower. */
export interface DemoFacts {
  approvals: number;
  killedWorker?: number;
}

/** Answers the approval (off a terminal) and kills the worker with SIGKILL in the middle of the test run. */
export async function watchDemo(watch: DemoWatch): Promise<DemoFacts> {
  const { client, sessionId, signal } = watch;
  const facts: DemoFacts = { approvals: 0 };
  for await (const item of client.follow(sessionId, { signal })) {
    if (item.kind === "event" && item.event.type === "approval_requested") {
      facts.approvals += 1;
      if (watch.answer) await allow(watch, item.event.approval.id);
    } else if (item.kind === "live" && facts.killedWorker === undefined) {
      const running = item.frame.blocks.some(
        ({ kind, tail }) => kind === "output" && tail.includes("check 2 of 5: ok"),
      );
      if (running) facts.killedWorker = killWorker(watch);
    } else if (item.kind === "event" && item.event.type === "agent_end") {
      break;
    }
  }
  return facts;
}

async function allow({ client, sessionId, say }: DemoWatch, approvalId: string): Promise<void> {
  // Long enough to be read as what it is: a session that waits for a person.
  await sleep(1_000);
  say(`tempi approve ${sessionId}`);
  const outcome = await client.decide(sessionId, { approvalId, decision: "allow", by: "the demo" });
  if (outcome.kind === "refused") throw new Error(`the demo's decision was refused: ${outcome.reason}`);
}

function killWorker({ home, say }: DemoWatch): number {
  const { pid } = JSON.parse(readFileSync(workerFileOf(home), "utf8")) as { pid: number };
  process.kill(pid, "SIGKILL");
  say(`kill -9 ${pid} (the worker that runs this session; the test goes on without it)`);
  return pid;
}
