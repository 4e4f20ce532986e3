/** A reason for refusal and the words it is told in. */

/** One reason for refusal. `path` is dotted (`edits.0.newText`), empty for the whole value. */
export interface Fault {
  path: string;
  message: string;
}

export const joinPath = (path: string, key: string | number): string => (path === "" ? `${key}` : `${path}.${key}`);

/** The value as JSON, cut where a long one would crowd out the message. */
export const quote = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** Allowed values in a row, at most 40 of them. */
export function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 40).map(quote).join(", ");
  return values.length > 40 ? `${shown}, … (${values.length} in all)` : shown;
}

export const withArticle = (name: string): string =>
  name === "null" ? name : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
