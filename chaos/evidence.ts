import type { StoredMessage } from "../src/agent/messages.ts";
import type { EventItem } from "../src/client/contract.ts";
import type { GivenDecision } from "./approver.ts";
import type { SentPrompt } from "./driver.ts";
import type { PlacedFault } from "./faults/fault.ts";
import type { Followed } from "./followers.ts";
import type { SessionPlan } from "./script.ts";
import type { SessionCall } from "./session-calls.ts";

/** One session after the run. */
export interface SessionEvidence {
  plan: SessionPlan;
  id: string;
  prompts: SentPrompt[];
  /** What a client was told while things went wrong. */
  seen: EventItem[];
  resyncs: string[];
  /** The same, read in one go at the end. */
  events: EventItem[];
  /** The transcript as the histories tell it, without a worker's cache. */
  messages: StoredMessage[];
  calls: SessionCall[];
  /** Why it is not at rest; absent when it is. */
  stuck?: string;
  queued: number;
  waiting: number;
}

/** Everything the invariants look at. They read nothing else, so each can be shown to fail. */
export interface Evidence {
  seed: number;
  sessions: SessionEvidence[];
  faults: PlacedFault[];
  decisions: GivenDecision[];
  followed: Followed[];
  /** Lines of the effects' file. */
  effects: string[];
  /** Content by path in the workspace. */
  files: Map<string, string>;
  /** Files of the workspace that nobody's script names. */
  strayFiles: string[];
  /** Lines that somebody else appended to files of the folder `outside`. */
  outsideLines: { file: string; line: string }[];
  /** Contents of shared files read while the run went on that were not whole. */
  tornReads: string[];
  wholeReads: number;
  model: {
    pairingChecks: number;
    pairingFaults: string[];
    repeated: number;
    differing: string[];
    requests: number;
    wrongKeys: number;
  };
  /** Locks at the end: path and holder. */
  locks: { id: string; holder?: string }[];
  /** Processes of the run that were alive after `tempi down`, and how many were looked at. */
  orphans: string[];
  processesSeen: number;
  /** Files that hold the canary, and how many were read. */
  leaks: string[];
  filesScanned: number;
  forbidden: { before: string; after: string; entries: string[] };
  replays: { checks: number; faults: string[] };
}
