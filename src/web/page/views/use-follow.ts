import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const nearEnd = 40;

/** Where the reader is: at the end, above it, or above it while something came. */
type Place = "end" | "above" | "news below";

/**
 * Keeps the end in sight while the reader is there, and only then; not while a card is on show, whose buttons would move. `version` counts what is drawn, `news` what came while it
 * was open; `filled`: all that one opened is there.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  { version, news, active, filled }: { version: number; news: number; active: boolean; filled: boolean },
): { place: Place; toEnd: () => void } {
  const atEnd = useRef(false);
  const ready = useRef(false);
  const cardOnShow = useRef(false);
  ready.current = filled;
  const [place, setPlace] = useState<Place>("end");
  const look = (): void => {
    const element = scroller.current;
    if (!element || !ready.current) return;
    atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
    setPlace((before) => (atEnd.current ? "end" : before === "end" ? "above" : before));
  };
  useEffect(() => {
    const element = scroller.current;
    element?.addEventListener("scroll", look, { passive: true });
    return () => element?.removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && active && atEnd.current && !cardOnShow.current) element.scrollTop = element.scrollHeight;
    cardOnShow.current = element?.querySelector(".card:not(.over)") != null;
    // What one opened is read from its beginning; it is followed only if all of it is in sight.
    look();
  }, [version, active, filled]);
  useEffect(() => {
    if (active && news > 0 && !atEnd.current) setPlace("news below");
  }, [news, active]);
  const toEnd = () => {
    const element = scroller.current;
    if (!element) return;
    atEnd.current = true;
    element.scrollTop = element.scrollHeight;
    // Rows that were never drawn have only a guessed height: the end moves while they are.
    requestAnimationFrame(() => {
      element.scrollTop = element.scrollHeight;
    });
  };
  return { place, toEnd };
}
