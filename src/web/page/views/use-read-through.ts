import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * Whether everything inside `root` has been on screen: every element with `data-part` marks the end of a part of the text, and
 * each has to have been seen. `goOn` brings the first unseen one into view.
 */
export function useReadThrough(root: RefObject<HTMLElement | null>, id: string): { read: boolean; goOn: () => void } {
  const [read, setRead] = useState(false);
  useEffect(() => {
    const unseen = new Set(root.current?.querySelectorAll("[data-part]"));
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        unseen.delete(target);
        target.setAttribute("data-seen", "");
        observer.unobserve(target);
      }
      if (unseen.size === 0) {
        setRead(true);
        observer.disconnect();
      }
    });
    for (const mark of unseen) observer.observe(mark);
    return () => observer.disconnect();
  }, [id]);
  const goOn = () => {
    root.current?.querySelector("[data-part]:not([data-seen])")?.scrollIntoView({ block: "center" });
  };
  return { read, goOn };
}
