const loneSurrogates = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The value with lone surrogates removed from all its texts: half an emoji makes the whole request unreadable for some hosts. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") return (value.isWellFormed() ? value : value.replace(loneSurrogates, "")) as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [wellFormed(key), wellFormed(field)])) as T;
}
