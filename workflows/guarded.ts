/** Queries answer with an error instead of throwing: a throw tells the client nothing it can show. */
export function guarded<T>(answer: () => T): T | { error: string } {
  try {
    return answer();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
