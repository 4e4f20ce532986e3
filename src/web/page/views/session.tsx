import { useRef, useState } from "preact/hooks";
import type { SessionStore } from "../state/session-store.ts";
import { Account } from "./account.tsx";
import { Composer } from "./composer.tsx";
import { Files } from "./files.tsx";
import { SessionHead } from "./session-head.tsx";
import { Problem } from "./small.tsx";
import { StreamLines } from "./stream-lines.tsx";
import { Tabs } from "./tabs.tsx";
import { Timeline } from "./timeline.tsx";
import { TranscriptView } from "./transcript.tsx";
import { useFollow } from "./use-follow.ts";

const tabs = ["Transcript", "Files", "Timeline"] as const;
type Tab = (typeof tabs)[number];

/** A session: its account, then the transcript, its files and its timeline. */
export function Session({ store }: { store: SessionStore }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [tab, setTab] = useState<Tab>("Transcript");
  const { place, toEnd } = useFollow(scroller, {
    version: store.version.value,
    news: store.news.value,
    active: tab !== "Files",
    filled: store.watched.isFilled && (store.account.value !== undefined || store.problem.value !== undefined),
  });
  const choose = (next: Tab) => {
    setTab(next);
    if (next === "Files") void store.refreshAccount();
  };
  const toApproval = () => {
    setTab("Transcript");
    requestAnimationFrame(() => {
      const card = scroller.current?.querySelector<HTMLElement>(".card:not(.over)");
      card?.scrollIntoView({ block: "start" });
      card?.querySelector<HTMLElement>("h2")?.focus();
    });
  };
  const missing = store.problem.value !== undefined && store.account.value === undefined && !store.watched.hasEvents;
  return (
    <div class="session">
      <SessionHead store={store} onApproval={toApproval} />
      <div class="scroll" ref={scroller}>
        <div class="column">
          <Problem text={store.problem.value} />
          {!missing && (
            <>
              <Account store={store} />
              <Tabs names={tabs} chosen={tab} onChoose={choose}>
                {tab === "Transcript" && <TranscriptView store={store} scroller={scroller} />}
                {tab === "Files" && <Files account={store.account.value} />}
                {tab === "Timeline" && <Timeline store={store} />}
              </Tabs>
              <StreamLines store={store} />
            </>
          )}
        </div>
      </div>
      {place !== "end" && (
        <button type="button" class={`below ${place === "news below" ? "primary" : ""}`} onClick={toEnd}>
          {place === "news below" ? "↓ new below" : "↓ to the end"}
        </button>
      )}
      {!missing && <Composer store={store} onSent={toEnd} />}
    </div>
  );
}
