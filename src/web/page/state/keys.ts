import { signal } from "@preact/signals";
import { navigate } from "./router.ts";

export const helpIsOpen = signal(false);

/** What the help says. No key decides anything: deciding takes a button that has the focus. */
export const keyHelp: readonly (readonly [keys: string, what: string])[] = [
  ["j k", "next, previous session of the list"],
  ["↑ ↓", "the same, while the list has the focus"],
  ["Enter", "open the session, or press the button that has the focus"],
  ["/", "filter the list"],
  ["g", "to what needs you"],
  ["Esc", "close what is open, leave a field"],
  ["?", "this help"],
];

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    if (target.closest("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    if (act(event.key, target)) event.preventDefault();
  });
}

function act(key: string, target: HTMLElement): boolean {
  switch (key) {
    case "j":
      return moveInList(1);
    case "k":
      return moveInList(-1);
    case "ArrowDown":
      return target.closest(".session-list") !== null && moveInList(1);
    case "ArrowUp":
      return target.closest(".session-list") !== null && moveInList(-1);
    case "/":
      return focusOn(".filter input");
    case "g":
      navigate("/");
      requestAnimationFrame(() => focusOn(".card h2 a, .home h1"));
      return true;
    case "?":
      helpIsOpen.value = true;
      return true;
    default:
      return false;
  }
}

function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

function moveInList(step: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLElement>(".session-list a")].filter((link) => link.offsetParent);
  if (links.length === 0) return false;
  const focused = links.indexOf(document.activeElement as HTMLElement);
  const current = focused >= 0 ? focused : links.findIndex((link) => link.getAttribute("aria-current") === "page");
  const next = current === -1 ? (step === 1 ? 0 : links.length - 1) : current + step;
  links[Math.max(0, Math.min(links.length - 1, next))]?.focus();
  return true;
}
