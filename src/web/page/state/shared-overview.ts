import type { Overview } from "../../../client/contract.ts";
import { disconnected, ResumingStream } from "./stream.ts";

const channelName = "tempi.overview";
/** A tab that leads answers at once; one that does not is taken for none. */
const answerMs = 500;

type Message = { kind: "ask" } | { kind: "overview"; overview: Overview } | { kind: "connection"; lost: boolean };

/**
 * The overview of all sessions, over one stream for all tabs of this browser: a browser keeps few connections to a server, and they
 * would soon be used up. One tab leads and tells the others; when it is closed the next one leads. Where a browser has no locks (a page
 * over plain HTTP) each tab has its own stream.
 */
export function shareOverview(onOverview: (overview: Overview) => void): () => void {
  const closing = new AbortController();
  if (navigator.locks === undefined) {
    const stream = openStream(onOverview);
    return () => stream.close();
  }
  const channel = new BroadcastChannel(channelName);
  const follower = new Follower(channel, onOverview);
  // Waits until no other tab leads, then leads until this tab is closed.
  navigator.locks
    .request(channelName, { signal: closing.signal }, () => {
      follower.stop();
      return lead(channel, onOverview, closing.signal);
    })
    .catch(() => undefined);
  return () => {
    follower.stop();
    closing.abort();
    channel.close();
  };
}

const openStream = (onOverview: (overview: Overview) => void, onLost?: (lost: boolean) => void): ResumingStream =>
  new ResumingStream({
    address: () => "/api/sessions/stream",
    kinds: ["overview"],
    onItem: (item) => onOverview(item as Overview),
    ...(onLost ? { onLost } : {}),
  });

function lead(channel: BroadcastChannel, onOverview: (overview: Overview) => void, signal: AbortSignal): Promise<void> {
  let latest: Overview | undefined;
  const tell = (message: Message) => channel.postMessage(message);
  const stream = openStream(
    (overview) => {
      latest = overview;
      tell({ kind: "overview", overview });
      onOverview(overview);
    },
    (lost) => tell({ kind: "connection", lost }),
  );
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "ask" && latest) tell({ kind: "overview", overview: latest });
  };
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      stream.close();
      resolve();
    });
  });
}

/** Hears what the leading tab tells. Until the first word comes, and if none does, it asks the server itself. */
class Follower {
  #own: ResumingStream | undefined;
  #lost = false;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #channel: BroadcastChannel;

  constructor(channel: BroadcastChannel, onOverview: (overview: Overview) => void) {
    this.#channel = channel;
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind === "connection") this.#connection(data.lost);
      if (data.kind !== "overview") return;
      clearTimeout(this.#timer);
      this.#own?.close();
      this.#own = undefined;
      onOverview(data.overview);
    };
    this.#timer = setTimeout(() => {
      this.#own = openStream(onOverview);
    }, answerMs);
    channel.postMessage({ kind: "ask" } satisfies Message);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#own?.close();
    this.#connection(false);
    this.#channel.onmessage = null;
  }

  #connection(lost: boolean): void {
    if (lost === this.#lost) return;
    this.#lost = lost;
    disconnected.value += lost ? 1 : -1;
  }
}
