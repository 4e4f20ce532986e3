import { limits } from "../src/protocol/limits.ts";

/** Adds a word to the error of a call that failed the same way before, so that the model tries something else. */
export function withNotice(text: string, failures: number): string {
  if (failures < limits.repeatedFailuresNotice) return text;
  return `${text}\n\n[This exact call has now failed ${failures} times in a row. Repeating it will not help: change it, or say what you need. After ${limits.repeatedFailuresStop} the turn is stopped.]`;
}
