import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * The height an element had before it was `over`, in pixels: it keeps it while it is in sight, so that what stands below does
 * not come under the finger. Out of sight it shrinks, where the browser holds the reader's place.
 */
export function useKeptHeight(element: RefObject<HTMLElement | null>, over: boolean): number | undefined {
  const [height, setHeight] = useState<number | "free">();
  if (over && height === undefined && element.current) setHeight(element.current.offsetHeight);
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
