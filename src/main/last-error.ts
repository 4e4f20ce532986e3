import { lastLines } from "./log-files.ts";

/** Last line of a log that says why a process died, at most 300 characters. Stack lines and empty brackets are passed over. */
export function lastErrorLine(path: string): string | undefined {
  const lines = lastLines(path, 40).filter((line) => !/^\s+at |^\s*[{}\]]*\s*$|^Node\.js v/.test(line));
  const line = lines.findLast((one) => /error|cannot|failed|locked|in use/i.test(one)) ?? lines.at(-1);
  return line === undefined ? undefined : line.trim().slice(0, 300);
}
