/**
 * Shapes of the JSON API under `/api`: the one description of it, shared by server and page. Times are milliseconds
 * since 1970. Every error is `ApiError` with a fitting status; `next` is what to do about it.
 *
 * | route | body → answer |
 * |---|---|
 * | `POST /api/login` | `LoginRequest` → 204 and the cookie; 403 for a wrong token |
 * | `POST /api/pair` | `PairRequest` → 204 and the cookie; 403 for a code that is wrong, used or too old |
 * | `POST /api/logout` | `{}` → 204, the device is forgotten |
 * | `GET /api/me` | → `Me` |
 * | `GET /api/sessions` | → `Overview` |
 * | `GET /api/sessions/stream` | → server-sent events `overview` with `Overview`, anew at each change |
 * | `POST /api/sessions` | `StartRequest` → 201 `StartAnswer` |
 * | `GET /api/new` | → `NewSessionOptions` |
 * | `GET /api/sessions/:id` | → `SessionView`; needs no worker |
 * | `GET /api/sessions/:id/messages` | → `StoredMessage[]`; the transcript where no worker answers |
 * | `GET /api/sessions/:id/stream` | → server-sent events, see `StreamItem` |
 * | `GET /api/sessions/:id/events?before=SEQ` | → `EventItem[]` that end before SEQ, oldest first: of the run before, or of this run where `begin` left some out; `[]` = there are none |
 * | `POST /api/sessions/:id/send` | `SendRequest` → 202 |
 * | `POST /api/sessions/:id/decide` | `DecideRequest` → 200 `DecideAnswer`; 404 unknown, 409 decided before or refused |
 * | `POST /api/sessions/:id/stop` `…/end` `…/retry` | `{}` → 202 |
 * | `POST /api/sessions/:id/settings` | `SettingsRequest` → 202; a change of the approval level or the model is 403 |
 */
import type { Remember, SessionRule } from "../agent/approval.ts";
import type { Usage } from "../agent/messages.ts";
import type { CommandRun, FileChange } from "../agent/session-account.ts";
import type { FollowItem, SessionSummary } from "../client/contract.ts";
import type { Delivery, ThinkingLevel } from "../protocol/session.ts";

export interface ApiError {
  error: string;
  next?: string;
}

/** The token of the link that `tempi web` prints. */
export interface LoginRequest {
  token: string;
}

/** The code of the QR picture that `tempi web --lan` prints: once, for 5 minutes. */
export interface PairRequest {
  code: string;
}

export interface Me {
  /** Name that stands at this device's decisions. */
  name: string;
  version: string;
  /** Address of the Temporal UI, where the browser can reach it. */
  temporalUi?: string;
}

export interface StartRequest {
  /** Of the page's making (6 characters of the session alphabet): sent twice it is one session. */
  id?: string;
  prompt: string;
  /** Absolute path of the workspace. */
  cwd: string;
  /** `provider/model`; absent = the configured one. */
  model?: string;
}

export interface StartAnswer {
  sessionId: string;
}

export interface NewSessionOptions {
  /** Workspaces of earlier sessions, newest first. */
  folders: { cwd: string; repository: string }[];
  /** The configured model; absent when none is known, then `error` says what to do. */
  model?: string;
  error?: ApiError;
}

/** The account of a session, as `tempi show` gives it. */
export interface SessionView {
  summary: SessionSummary;
  /** Last text of the model after the last prompt; "" if none. */
  answer: string;
  turns: number;
  usage: Usage;
  files: (FileChange & { patches: string[] })[];
  commands: { run: number; failed: CommandRun[]; lastTest?: CommandRun };
  rules: SessionRule[];
  cause?: string;
  /** Command that mends it. */
  next?: string;
  /** The session's page in the Temporal UI. */
  temporalUi?: string;
}

/**
 * What `GET /api/sessions/:id/stream` sends. The event's name is `kind`, its data the item. Durable events carry their number as
 * `id`; a stream that is asked for with `Last-Event-ID` (or `?after=SEQ`, which the header overrides) goes on after it, or begins with
 * `resync`, and then all is told anew. Without it the first item is `begin`: earlier events are read by `events?before=`. Order is the
 * same for everybody. A reader that comes late gets a `live` item with all of each open source's text so far. The stream stays open after
 * `closed`: when the session is reopened, its events go on. While no worker answers and nothing was read, `offline` may be all.
 */
export type StreamItem = FollowItem;

export interface SendRequest {
  /** Of the page's making (up to 64 letters, digits, `-`): sent twice it counts once. */
  id: string;
  text: string;
  delivery: Delivery;
}

export interface DecideRequest {
  approvalId: string;
  decision: "allow" | "deny";
  remember?: Remember;
  /** Edited arguments, checked again before they run. */
  args?: Record<string, unknown>;
  reason?: string;
}

export interface DecideAnswer {
  /** Words of the rule that was made. */
  rule?: string;
  /** The decision counts, but its rule could not be written: why. */
  ruleError?: string;
}

export interface SettingsRequest {
  thinking?: ThinkingLevel;
  title?: string;
  /** Keys of session rules to take back. */
  forget?: string[];
}
