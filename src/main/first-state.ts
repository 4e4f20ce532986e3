import type { Home } from "../config/home.ts";
import { identityOf } from "../server/process-identity.ts";
import type { TemporalTarget } from "../server/resolve-address.ts";
import { chooseSocketPath } from "./control-socket.ts";
import type { UpState } from "./up-state.ts";
import { version } from "./version.ts";

/** State of a supervisor that begins; `before` is what a predecessor left. */
export function firstState(home: Home, target: TemporalTarget, before: UpState | undefined): UpState {
  const named = target.kind === "named" ? target : undefined;
  return {
    ...identityOf(process.pid)!,
    version,
    since: Date.now(),
    socket: chooseSocketPath(home),
    address: named?.address ?? "",
    namespace: named?.namespace ?? "default",
    ...(named?.profile === undefined ? {} : { profile: named.profile }),
    uiUrl: null,
    variables: {},
    server: { state: named ? "named" : "starting", restarts: 0 },
    // These are named until they are ended, so that a supervisor that is killed now leaves their trace to the next.
    worker: { ...before?.worker, state: "starting", restarts: 0 },
    web: { ...before?.web, state: "starting", restarts: 0 },
    notes: [],
  };
}
