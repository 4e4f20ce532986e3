import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** A click that was meant for what stood here before must not decide anything. */
const steadyMs = 700;
const lookMs = 100;

/**
 * Whether an element has stood still for 700 ms within its scrolled surroundings. Scrolling by the reader does not count as
 * moving; something that grew above it does. `isSteadyNow` looks once more, for the moment of the click.
 */
export function useSteady(element: RefObject<HTMLElement | null>): { steady: boolean; isSteadyNow: () => boolean } {
  const [steady, setSteady] = useState(false);
  const since = useRef(performance.now());
  const place = useRef<number>(undefined);
  const look = (): boolean => {
    const at = placeOf(element.current);
    if (place.current === undefined || Math.abs(place.current - at) > 2) since.current = performance.now();
    place.current = at;
    return performance.now() - since.current >= steadyMs;
  };
  useEffect(() => {
    const timer = setInterval(() => setSteady(look()), lookMs);
    return () => clearInterval(timer);
  }, []);
  return { steady, isSteadyNow: look };
}

function placeOf(element: HTMLElement | null): number {
  const scroller = element?.closest(".scroll");
  if (!element || !scroller) return 0;
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}
