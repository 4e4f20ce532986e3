import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const nearEnd = 40;

/**
 * Keeps the end in sight while the reader is there, and only then: otherwise `below` says that something came. Each change of
 * `version` is something that came.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  version: number,
  active: boolean,
): { below: boolean; toEnd: () => void } {
  const atEnd = useRef(false);
  const height = useRef(0);
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
    if (!element || !active) return;
    const grown = element.scrollHeight - height.current;
    height.current = element.scrollHeight;
    if (grown <= 0) return;
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    // The first fill is what one opened, not news.
    else if (grown < element.scrollHeight / 2 && element.scrollHeight > element.clientHeight) setBelow(true);
  }, [version, active]);
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
