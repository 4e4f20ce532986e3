import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const nearEnd = 40;

/**
 * Keeps the end in sight while the reader is there, and only then: otherwise `below` says that something came. `version`
 * counts what is drawn, `news` what came while it was open.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  { version, news, active }: { version: number; news: number; active: boolean },
): { below: boolean; toEnd: () => void } {
  const atEnd = useRef(false);
  const [below, setBelow] = useState(false);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onScroll = () => {
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
      if (atEnd.current) setBelow(false);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && active && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [version, active]);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !active || news === 0 || atEnd.current) return;
    if (element.scrollHeight > element.clientHeight + nearEnd) setBelow(true);
    // Too short to scroll: the end is in sight, and stays there when it grows.
    else atEnd.current = true;
  }, [news, active]);
  const toEnd = () => {
    const element = scroller.current;
    if (!element) return;
    atEnd.current = true;
    setBelow(false);
    // Rows that were never drawn have only a guessed height: the end moves while they are.
    element.scrollTop = element.scrollHeight;
    requestAnimationFrame(() => {
      element.scrollTop = element.scrollHeight;
    });
  };
  return { below, toEnd };
}
