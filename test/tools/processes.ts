/** Ends a process that a test started, and only it. */
export function endProcess(pid: number): void {
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`not a process of a test: ${pid}`);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** Resolves once `condition` holds; looks every 10 ms, gives up after `ms`. */
export async function waitFor(condition: () => boolean, ms = 10_000): Promise<void> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) throw new Error("the condition was never met");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
