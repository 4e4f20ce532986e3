import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../model/rows.ts";
import { overview } from "../state/overview.ts";
import type { SessionStore } from "../state/session-store.ts";
import { Answer } from "./answer.tsx";
import { Call } from "./call.tsx";
import { Card } from "./card.tsx";
import { Note, Prompt } from "./rows.tsx";
import { Unchanged } from "./small.tsx";
import { useWindow } from "./use-window.ts";

/** The conversation, newest below. Only its end is drawn until the reader goes back. */
export function TranscriptView({ store, scroller }: { store: SessionStore; scroller: RefObject<HTMLElement | null> }) {
  const model = store.watched;
  const rows = model.rows;
  const { start, showMore } = useWindow(rows, !model.isOpen && !model.fromHistory);
  const live = model.liveAnswer;
  const keepPlace = useKeepPlace(scroller, start, rows.length);
  const showEarlier = () => {
    keepPlace();
    if (start > 0) showMore();
    else void store.loadEarlier().then(showMore);
  };
  // While all of it still comes, none of it is drawn.
  const opening = !model.isOpen && !model.fromHistory && rows.length > 0;
  const left = !opening && (start > 0 || ((model.first ?? 1) > 1 && !store.noEarlier.value));
  return (
    <div class="transcript" role="log" aria-live="off" aria-label="Transcript">
      {model.resync !== undefined && <p class="facts">Began anew: {model.resync}</p>}
      {model.fromHistory && (
        <p class="away">
          {model.offline === undefined ? "No worker answered yet" : "The worker is away"}: as the history tells it.
        </p>
      )}
      {opening && <p class="facts">reading {rows.length} rows…</p>}
      {left && <Earlier scroller={scroller} hidden={start} busy={store.loadingEarlier.value} onShow={showEarlier} />}
      {/* The live answer becomes a row under the same key: what is on screen stays. */}
      {[...rows.slice(start), ...(live ? [live] : [])].map((row) => (
        <Unchanged key={row.key} of={row}>
          <RowView row={row} sessionId={store.id} />
        </Unchanged>
      ))}
      <CardsWithoutRow store={store} />
    </div>
  );
}

function RowView({ row, sessionId }: { row: Row; sessionId: string }) {
  switch (row.kind) {
    case "prompt":
      return <Prompt row={row} />;
    case "answer":
      return <Answer row={row} />;
    case "call":
      return <Call row={row} sessionId={sessionId} />;
    case "note":
      return <Note row={row} />;
  }
}

/** Approvals whose events are gone, or that only the overview knows while the worker is away. */
function CardsWithoutRow({ store }: { store: SessionStore }) {
  const model = store.watched;
  const known =
    model.state === undefined && !model.hasEvents
      ? (overview.value?.waiting ?? []).filter(({ sessionId }) => sessionId === store.id).map((one) => one.approval)
      : model.pendingWithoutRow;
  return (
    <>
      {known.map((approval) => (
        <Card key={approval.id} sessionId={store.id} approval={approval} waits />
      ))}
    </>
  );
}

interface EarlierProps {
  scroller: RefObject<HTMLElement | null>;
  hidden: number;
  busy: boolean;
  onShow: () => void;
}

/** Shows earlier rows when the reader scrolls up to it, or presses it. */
function Earlier({ scroller, hidden, busy, onShow }: EarlierProps) {
  const button = useRef<HTMLButtonElement>(null);
  const show = useRef(onShow);
  show.current = onShow;
  useEffect(() => {
    const element = scroller.current;
    if (!element || !button.current) return;
    let top = element.scrollTop;
    let inView = false;
    // Opening a session does not scroll: only a reader who goes up asks for more.
    let goesUp = false;
    const look = () => {
      if (goesUp && inView) show.current();
    };
    // Also when it comes into view after the last scroll: a reader who is at the top cannot scroll on.
    const observer = new IntersectionObserver(([entry]) => {
      inView = entry!.isIntersecting;
      look();
    });
    const onScroll = () => {
      goesUp = element.scrollTop < top;
      top = element.scrollTop;
      look();
    };
    observer.observe(button.current);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);
  return (
    <button ref={button} type="button" class="earlier quiet" aria-disabled={busy} onClick={onShow}>
      {busy ? "reading earlier events…" : hidden > 0 ? `Show earlier (${hidden} rows)` : "Show earlier events"}
    </button>
  );
}

/** Keeps the row that was first in sight where it was when rows come in above it. */
function useKeepPlace(scroller: RefObject<HTMLElement | null>, start: number, length: number): () => void {
  const place = useRef<{ row: Element; top: number }>(undefined);
  useLayoutEffect(() => {
    const kept = place.current;
    const element = scroller.current;
    if (!kept || !element || !kept.row.isConnected) return;
    element.scrollTop += kept.row.getBoundingClientRect().top - kept.top;
    place.current = undefined;
  }, [start, length]);
  return () => {
    const row = scroller.current?.querySelector(".transcript > .row");
    if (row) place.current = { row, top: row.getBoundingClientRect().top };
  };
}
