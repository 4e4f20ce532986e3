/**
 * Folds the shapes that models send for edit into `{path, edits: [{oldText, newText}]}`: the list as JSON text, a single
 * block instead of a list, and the flat `oldText`/`newText` of older prompts. What fits none of them is left to validation.
 * @returns the same reference when there is nothing to fold
 */
export function foldEditArguments(args: unknown): unknown {
  if (!isObject(args)) return args;
  const { oldText, newText, ...rest } = args;
  const edits = unpack(args.edits);
  const flat = typeof oldText === "string" && typeof newText === "string" ? [{ oldText, newText }] : [];
  if (edits === args.edits && flat.length === 0) return args;
  if (flat.length === 0) return { ...args, edits };
  if (edits !== undefined && edits !== null && !Array.isArray(edits)) return args;
  return { ...rest, edits: [...((edits as unknown[] | undefined | null) ?? []), ...flat] };
}

function unpack(edits: unknown): unknown {
  if (isObject(edits)) return [edits];
  if (typeof edits !== "string") return edits;
  try {
    const value: unknown = JSON.parse(edits);
    if (Array.isArray(value)) return value;
    return isObject(value) ? [value] : edits;
  } catch {
    return edits;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
