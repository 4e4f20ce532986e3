import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 700px)");

/** One column: what waits comes first, and alone. */
export const isPhone = signal(narrow.matches);

narrow.addEventListener("change", (event) => {
  isPhone.value = event.matches;
});
