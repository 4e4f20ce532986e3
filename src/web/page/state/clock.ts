import { signal } from "@preact/signals";

/** Milliseconds since 1970, anew each second while somebody looks. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1_000);
  document.addEventListener("visibilitychange", () => {
    now.value = Date.now();
  });
}
