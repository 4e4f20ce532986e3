import { signal } from "@preact/signals";
import { type Route, routeOf } from "../model/route.ts";

export const route = signal<Route>(routeOf(location.pathname, location.hash));

export function navigate(path: string, how: "push" | "replace" = "push"): void {
  if (how === "replace") history.replaceState(null, "", path);
  else if (path !== location.pathname + location.hash) history.pushState(null, "", path);
  route.value = routeOf(location.pathname, location.hash);
}

/** Follows links within the page without loading it anew; keys that open a new tab keep their meaning. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    route.value = routeOf(location.pathname, location.hash);
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.origin !== location.origin || link.target || routeOf(link.pathname).page === "unknown") return;
    event.preventDefault();
    navigate(link.pathname + link.hash);
  });
}
