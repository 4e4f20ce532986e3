/**
 * Calls `leave` once no session was open for `minutes`. Asks about ten times in that span; while the question cannot be
 * answered it counts as open.
 */
export function watchIdle(
  minutes: number,
  openSessions: () => Promise<number>,
  leave: () => void,
): { stop: () => void } {
  const span = minutes * 60_000;
  let lastOpen = performance.now();
  let asking = false;
  const timer = setInterval(
    async () => {
      if (asking) return;
      asking = true;
      const open = await openSessions().catch(() => 1);
      asking = false;
      if (open > 0) lastOpen = performance.now();
      else if (performance.now() - lastOpen >= span) {
        clearInterval(timer);
        leave();
      }
    },
    Math.min(60_000, span / 10),
  );
  return { stop: () => clearInterval(timer) };
}
