import type { Usage } from "./messages.ts";

/** `40ms`, `0.3s`, `12s`, `2m05s`, `1h02m`, `3d4h`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds > 0 && seconds < 0.1) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  if (seconds < 9.95) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m${String(whole % 60).padStart(2, "0")}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h${String(minutes % 60).padStart(2, "0")}m`;
  return `${Math.floor(hours / 24)}d${hours % 24}h`;
}

/** Coarse length of a time for lists: `now`, `12s`, `5m`, `3h`, `2d`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** `14:05`, local time. */
export function clock(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `14:05` today, else `2026-11-30 14:05`. */
export function moment(at: number, now: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date(now).toDateString();
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return today ? clock(at) : `${day} ${clock(at)}`;
}

/** `$0.04`, `$0.0031`; an unknown price is never shown as $0. */
export function money(cost: number | undefined): string {
  if (cost === undefined) return "cost unknown";
  return cost >= 0.01 || cost === 0 ? `$${cost.toFixed(2)}` : `$${cost.toPrecision(2)}`;
}

/** The cost of what was used: `$0.04`, `at least $0.04` where the price of a part is not known, or `cost unknown`. */
export const costOf = ({ cost, costIncomplete }: Usage): string =>
  cost !== undefined && costIncomplete ? `at least ${money(cost)}` : money(cost);

/** `870 tokens`, `12.3k tokens`: input, cached input and output together. */
export function tokens(usage: Usage): string {
  const all = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  // Every request has some: an endpoint that tells no usage has told nothing, not zero.
  if (all === 0) return "tokens unknown";
  if (all < 1000) return `${all} tokens`;
  return all < 1_000_000 ? `${(all / 1000).toFixed(1)}k tokens` : `${(all / 1_000_000).toFixed(1)}M tokens`;
}

/** `183k`, `870`: a number of tokens where its size is what counts. */
export const thousands = (value: number): string => (value < 1000 ? String(value) : `${Math.round(value / 1000)}k`);

/** A text with its full stop, so that another sentence may follow. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** A command without the full stop of its sentence, which would be copied with it. */
export const copyable = (next: string): string => (/^tempi\s/.test(next) ? next.replace(/\.$/, "") : next);

export const nextStep = (next: string): string => `Next: ${copyable(next)}`;

/** A model as one would name it: `provider/model`, and `scripted:FILE` for a file of answers. */
export const modelName = (name: string): string => name.replace(/^scripted\/(?=\/)/, "scripted:");

export const count = (value: number, word: string): string => `${value} ${word}${value === 1 ? "" : "s"}`;
