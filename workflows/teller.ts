import { condition } from "@temporalio/workflow";
import type { PreparedCall } from "../src/agent/prepared-call.ts";
import type { NotifyInput } from "../src/protocol/activities.ts";
import type { SessionInput } from "../src/protocol/session.ts";
import { notify } from "./activities.ts";
import { applicationFailureOf } from "./application-failure.ts";
import type { SessionRecord } from "./session-record.ts";

type Notice = Omit<NotifyInput, "v" | "sessionId" | "cwd" | "title">;

/** Milliseconds that the end of a run waits for what is being told. */
const patienceMs = 15_000;

/** Tells whom the user's configuration names what became of the session. Best effort: the work does not wait for it. */
export class Teller {
  readonly #input: SessionInput;
  readonly #record: SessionRecord;
  #underWay = 0;

  constructor(input: SessionInput, record: SessionRecord) {
    this.#input = input;
    this.#record = record;
  }

  /** Calls that wait for a person; those that nobody is named for are not told. */
  waiting(asking: readonly PreparedCall[]): void {
    if (!asking.some((call) => call.notify)) return;
    const waiting = asking.map(({ toolName, summary }) => ({ toolName, summary }));
    this.#tell(`${asking.length} ${asking.length === 1 ? "call waits" : "calls wait"}`, { kind: "waiting", waiting });
  }

  blocked(cause: string, next: string): void {
    this.#tell("blocked", { kind: "blocked", cause, next });
  }

  ended(state: string, cause: string | undefined): void {
    this.#tell(state, { kind: "ended", state, ...(cause ? { cause } : {}) });
  }

  /** Before a run closes: what is being told gets a moment. */
  async settled(): Promise<void> {
    if (this.#underWay > 0) await condition(() => this.#underWay === 0, patienceMs);
  }

  #tell(summary: string, notice: Notice): void {
    const { sessionId, cwd, title } = this.#input;
    this.#underWay += 1;
    void notify
      .executeWithOptions({ summary }, [{ v: 1, sessionId, cwd, title, ...notice }])
      .catch((error) => {
        const text = applicationFailureOf(error)?.message ?? "the worker's own fault";
        const what =
          notice.kind === "waiting" ? "that it waits" : `that it ${notice.kind === "blocked" ? "is blocked" : "ended"}`;
        this.#record.emit({ type: "notice", text: `nobody could be told ${what}: ${text}`.slice(0, 500) });
      })
      .finally(() => {
        this.#underWay -= 1;
      });
  }
}
