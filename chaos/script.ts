import { join } from "node:path";
import { Random } from "./random.ts";

/** What a session is for. */
export type SessionKind = "commands" | "sharing" | "asking" | "long" | "closing" | "mixed";

const kinds: SessionKind[] = ["sharing", "sharing", "commands", "asking", "long", "mixed", "closing", "asking"];

export interface SessionPlan {
  index: number;
  kind: SessionKind;
  /** Two sessions or more share the file of a group. */
  group: number;
}

export const sessionPlan = (index: number): SessionPlan => ({
  index,
  kind: kinds[index % kinds.length]!,
  group: Math.floor(index / 4),
});

export const slotOf = (session: number): string => `slot ${String(session).padStart(3, "0")};`;

/** Where things lie. */
export interface Places {
  workspace: string;
  /** File to which each command appends its token, once. */
  effects: string;
}

export const sharedFile = (group: number): string => join("shared", `group-${group}.txt`);
/** Written whole by its session. */
export const ownFile = (session: number): string => join("own", `session-${session}.txt`);
/** Edited by its session, and by somebody else between reading and editing. */
export const outsideFile = (session: number): string => join("outside", `session-${session}.txt`);

export interface ScriptCall {
  /** `s<session>p<prompt>t<step>c<call>`: names the call, its effect and its mark, once in the whole run. */
  token: string;
  name: "bash" | "edit" | "write" | "read";
  arguments: Record<string, unknown>;
}

export interface Step {
  text: string;
  calls: ScriptCall[];
  /** Before it is answered, a person may change this file (F13). */
  changesOutside?: string;
}

/** Text of the prompt number `prompt` of a session; the scripted model finds its script by it. */
export const promptText = (session: number, prompt: number | "tail"): string =>
  `chaos session ${session} prompt ${prompt}: work`;
export const promptPattern = /chaos session (\d+) prompt (\d+|tail): work/;

/** The answers to one prompt, in order; after the last one the model has no more calls. The same for the same seed. */
export function scriptOf(seed: number, plan: SessionPlan, prompt: number | "tail", places: Places): Step[] {
  const random = new Random(seed, `script/${plan.index}/${prompt}`);
  const make = new StepMaker(random, plan, places);
  const steps = prompt === "tail" ? 1 : random.between(3, 6);
  return Array.from({ length: steps }, (_, step) => {
    const name = (call: number) => `s${plan.index}p${prompt === "tail" ? "9999" : prompt}t${step}c${call}`;
    return make.step(prompt === "tail" ? "share" : random.weighted(weightsOf(plan.kind)), name);
  });
}

type StepKind = "command" | "commands" | "share" | "shareMany" | "write" | "outside" | "read" | "output";

function weightsOf(kind: SessionKind): Record<StepKind, number> {
  const none = { command: 0, commands: 0, share: 0, shareMany: 0, write: 0, outside: 0, read: 0, output: 0 };
  switch (kind) {
    case "commands":
      return { ...none, command: 6, commands: 3, output: 1, read: 1 };
    case "sharing":
      return { ...none, share: 4, shareMany: 4, command: 1 };
    case "asking":
      return { ...none, command: 3, share: 3, outside: 2, write: 1 };
    case "long":
      return { ...none, command: 3, read: 2, share: 2, outside: 1 };
    case "closing":
      return { ...none, command: 3, write: 1, share: 1 };
    case "mixed":
      return { command: 3, commands: 2, share: 2, shareMany: 1, write: 2, outside: 2, read: 1, output: 0.5 };
  }
}

class StepMaker {
  readonly #random: Random;
  readonly #plan: SessionPlan;
  readonly #places: Places;

  constructor(random: Random, plan: SessionPlan, places: Places) {
    this.#random = random;
    this.#plan = plan;
    this.#places = places;
  }

  step(kind: StepKind, name: (call: number) => string): Step {
    const text = `I go on with ${name(0)}.`;
    const { index } = this.#plan;
    switch (kind) {
      case "command":
        return { text, calls: [this.#command(name(1))] };
      case "commands":
        return {
          text,
          calls: Array.from({ length: this.#random.between(2, 4) }, (_, at) => this.#command(name(at + 1))),
        };
      case "share":
        return { text, calls: [this.#mark(name(1), this.#shared(), slotOf(index))] };
      case "shareMany":
        return {
          text,
          calls: Array.from({ length: this.#random.between(2, 5) }, (_, at) =>
            this.#mark(name(at + 1), this.#shared(), slotOf(index)),
          ),
        };
      case "write":
        return {
          text,
          calls: [
            {
              token: name(1),
              name: "write",
              arguments: { path: ownFile(index), content: versionText(name(1), this.#random.between(1, 2_000)) },
            },
          ],
        };
      case "outside":
        return {
          text,
          calls: [this.#mark(name(1), outsideFile(index), slotOf(index))],
          changesOutside: outsideFile(index),
        };
      case "read":
        return { text, calls: [{ token: name(1), name: "read", arguments: { path: this.#shared() } }] };
      case "output":
        return { text, calls: [this.#output(name(1))] };
    }
  }

  #mark(token: string, path: string, slot: string): ScriptCall {
    const edits = [{ oldText: `${slot}\n`, newText: `${slot}\nmark ${token}\n` }];
    return { token, name: "edit", arguments: { path, edits } };
  }

  /** The same file by another name each time. */
  #shared(): string {
    const file = `group-${this.#plan.group}.txt`;
    return this.#random.pick([
      join("shared", file),
      `./own/../shared/${file}`,
      join("link", file),
      join(this.#places.workspace, "link", file),
      join(this.#places.workspace, "shared", file),
    ]);
  }

  #command(token: string): ScriptCall {
    const effect = this.#effect(token);
    const pause = () => (this.#random.between(0, 6) / 10).toFixed(1);
    const command = this.#random.pick([
      `${effect}; echo did`,
      `sleep ${pause()}; ${effect}; sleep ${pause()}; echo did`,
      `${effect}; sleep ${pause()}; echo did`,
      `(sleep ${pause()}; echo child) & sleep ${pause()}; ${effect}; wait; echo did`,
      `${effect}; echo failing >&2; exit 3`,
    ]);
    return { token, name: "bash", arguments: { command } };
  }

  #output(token: string): ScriptCall {
    const noise = this.#random.pick([
      "seq 1 300000",
      "head -c 300000 /dev/urandom",
      "head -c 1000000 /dev/zero | tr '\\0' x",
      "printf '\\377\\376\\000\\355\\240\\200 end\\n'",
      "for i in $(seq 1 3000); do printf '\\033[31m%s\\033[0m\\r' $i; done",
      "env",
    ]);
    return { token, name: "bash", arguments: { command: `${this.#effect(token)}; ${noise}` } };
  }

  /** One line, appended in one write. */
  #effect(token: string): string {
    return `echo ${token} >> ${this.#places.effects}`;
  }
}

/** Whole content of a file that its session writes; every line tells the version, so a mixture is seen. */
export const versionText = (token: string, lines: number): string =>
  `version ${token} ${lines}\n${Array.from({ length: lines }, (_, at) => `${token} line ${at}\n`).join("")}end ${token}\n`;

/** A shared file before anyone marked it. Long enough that a half-written one is noticed. */
export const groupText = (group: number, sessions: readonly number[]): string =>
  `begin ${group}\n${sessions.map((session) => `${slotOf(session)}\n`).join("")}${`filler of group ${group}\n`.repeat(2_000)}end ${group}\n`;
