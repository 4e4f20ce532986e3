const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Milliseconds that a server's headers ask to wait: `retry-after-ms`, else `retry-after` as seconds or HTTP date (a past
 * one = 0). Undefined when there is none or it cannot be read, as "soon" or a negative number.
 */
export function retryAfterMs(headers: { get(name: string): string | null }, now: number): number | undefined {
  const milliseconds = nonNegative(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const header = headers.get("retry-after")?.trim();
  if (!header) return undefined;
  const seconds = nonNegative(header);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  // Date.parse reads "-5" and "1" as years; a date has letters and a time.
  const date = /^[a-z]{3,9},? .*\d:\d\d/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The wait until the moment of `x-ratelimit-reset`, where it is one (seconds or milliseconds since 1970) and lies ahead. */
export function resetMs(headers: { get(name: string): string | null }, now: number): number | undefined {
  const reset = headers.get("x-ratelimit-reset")?.trim() ?? "";
  const moment = /^\d{10}(\.\d+)?$/.test(reset) ? Number(reset) * 1_000 : /^\d{13}$/.test(reset) ? Number(reset) : 0;
  return moment > now ? Math.ceil(moment - now) : undefined;
}

/** Digits without end are no number of seconds. */
const nonNegative = (text: string | null | undefined): number | undefined =>
  text && /^\d{1,15}(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;

/** The wait that an error text names: "try again in 1m30.5s", "wait 20 seconds", `"retryDelay": "34s"`. */
export function retryAfterInText(text: string): number | undefined {
  const found =
    /(?:try again (?:in|after)|retry (?:in|after)|wait(?: for)?|retryDelay"?:\s*")\s*((?:\d{1,9}(?:\.\d+)?\s*(?:ms|s|m|h|d)[a-z]*[\s,]*(?:and\s+)?)+)/i.exec(
      text,
    )?.[1];
  if (!found) return undefined;
  const parts = [...found.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h|d)/gi)];
  const total = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit!.toLowerCase()] ?? 1), 0);
  return Math.ceil(total);
}
