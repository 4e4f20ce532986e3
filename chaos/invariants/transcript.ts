import type { EventItem } from "../../src/client/contract.ts";
import type { Finding, Invariant } from "./invariant.ts";

/**
 * I4: what a client was told while things went wrong is the beginning of what is told at the end. Times in an event may be other
 * ones: a worker can tell an event in the moment before the engine has it, die, and its successor makes it again.
 */
export const nothingTakenBack: Invariant = {
  name: "I4 told",
  check: ({ sessions }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, seen, events, resyncs } of sessions) {
      const bySeq = new Map(events.map((item) => [item.event.seq, withoutTime(item)]));
      for (const item of seen) {
        checks += 1;
        if (bySeq.get(item.event.seq) === withoutTime(item)) continue;
        findings.push({ harm: "lost", text: `${id} event ${item.event.seq} (${item.event.type}) is another one now` });
      }
      for (const why of resyncs) findings.push({ text: `${id}: ${why}` });
    }
    return { checks, findings };
  },
};

const withoutTime = ({ event, message }: EventItem): string =>
  JSON.stringify([event, message], (key, value) => (times.has(key) ? undefined : value));
const times = new Set(["at", "durationMs", "requestedAt"]);

/** Event numbers count from 1, without gap and without double: for the client that lived through it and for a new one. */
export const numbersWithoutGap: Invariant = {
  name: "I4 numbers",
  check: ({ sessions }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, seen, events } of sessions) {
      for (const [who, items] of [
        ["old client", seen],
        ["new client", events],
      ] as const) {
        checks += items.length;
        const finding = firstGap(items.map(({ event }) => event.seq));
        if (finding) findings.push({ ...finding, text: `${id} (${who}): ${finding.text}` });
      }
    }
    return { checks, findings };
  },
};

/** The same for the processes that followed and were killed, line by line. */
export const followersWithoutGap: Invariant = {
  name: "I4 followers",
  check: ({ sessions, followed }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { sessionId, events, garbled } of followed) {
      checks += events.length;
      const finding = firstGap(events.map(({ seq }) => seq));
      if (finding) findings.push({ ...finding, text: `${sessionId}: ${finding.text}` });
      if (garbled > 0) findings.push({ text: `${sessionId}: ${garbled} lines are no JSON` });
      const final = sessions.find(({ id }) => id === sessionId)?.events ?? [];
      const types = new Map(final.map(({ event }) => [event.seq, event.type]));
      const other = events.find(({ seq, type }) => types.get(seq) !== type);
      if (other)
        findings.push({ harm: "lost", text: `${sessionId}: event ${other.seq} was ${other.type} for a follower` });
    }
    return { checks, findings };
  },
};

function firstGap(numbers: readonly number[]): Finding | undefined {
  const at = numbers.findIndex((number, index) => number !== index + 1);
  if (at < 0) return undefined;
  const doubled = numbers[at]! <= at;
  return { harm: doubled ? "doubled" : "lost", text: `number ${numbers[at]} where ${at + 1} is due` };
}

/** The histories hold the same messages as the events name, in the same order. */
export const historiesTellTheSame: Invariant = {
  name: "I4 histories",
  check: ({ sessions }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, events, messages } of sessions) {
      const named = events.flatMap(({ event }) => (event.type === "message_end" ? [event.messageId] : []));
      checks += named.length;
      const recorded = messages.map((message) => message.id);
      if (named.join() === recorded.join()) continue;
      const at = named.findIndex((one, index) => recorded[index] !== one);
      const [told, held] = [named[at], recorded[at < 0 ? named.length : at]];
      findings.push({
        harm: "lost",
        text: `${id}: message ${at} is ${told} in the events and ${held} in the histories`,
      });
    }
    return { checks, findings };
  },
};

/** F26: each prompt that the server took is taken once, and none waits in the end. */
export const promptsOnce: Invariant = {
  name: "I4 prompts",
  check: ({ sessions }) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const { id, prompts, events, queued } of sessions) {
      for (const prompt of prompts) {
        checks += 1;
        const count = events.filter(
          ({ event }) => event.type === "message_end" && event.messageId === prompt.id,
        ).length;
        if (count === 1) continue;
        if (count === 0 && queued > 0) continue;
        findings.push({ harm: count === 0 ? "lost" : "doubled", text: `${id}: ${prompt.id} was taken ${count} times` });
      }
    }
    return { checks, findings };
  },
};
