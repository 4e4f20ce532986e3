import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * The height an element had before it was `over`, in pixels. It keeps it while it is in sight and another card waits below, which
 * must not come under the finger. Out of sight it shrinks, where the browser holds the reader's place.
 */
export function useKeptHeight(element: RefObject<HTMLElement | null>, over: boolean): number | undefined {
  const [height, setHeight] = useState<number | "free">();
  if (over && height === undefined && element.current) {
    setHeight(isFollowedByCard(element.current) ? element.current.offsetHeight : "free");
  }
  useEffect(() => {
    if (!over || !element.current || !CSS.supports("overflow-anchor", "auto")) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry && !entry.isIntersecting) setHeight("free");
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [over]);
  return over && typeof height === "number" ? height : undefined;
}

const isFollowedByCard = (element: HTMLElement): boolean =>
  [...document.querySelectorAll(".card:not(.over)")].some(
    (card) => element.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
