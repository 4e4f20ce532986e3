import { isUserError } from "../../config/errors.ts";
import type { ApiError } from "../api.ts";

/** An answer that is no success: `next` is what to do about it. */
export class HttpError extends Error {
  readonly status: number;
  readonly next: string | undefined;
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, options: { next?: string; headers?: Record<string, string> } = {}) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.next = options.next;
    this.headers = options.headers ?? {};
  }
  get body(): ApiError {
    return { error: this.message, ...(this.next === undefined ? {} : { next: this.next }) };
  }
}

/** gRPC: deadline exceeded, unavailable. */
const unreachableCodes = new Set<unknown>([4, 14]);

/** The answer to any error; `unexpected` where nobody foresaw it, and the log should hold it. */
export function httpErrorOf(error: unknown): { answer: HttpError; unexpected: boolean } {
  if (error instanceof HttpError) return { answer: error, unexpected: false };
  if (isNotFound(error)) return { answer: new HttpError(404, firstLine(error)), unexpected: false };
  if (isUnreachable(error)) {
    const message = `the Temporal server or the worker does not answer: ${firstLine(error)}`;
    return { answer: new HttpError(503, message, { next: "tempi up" }), unexpected: false };
  }
  if (isUserError(error)) {
    const next = error.next === undefined ? {} : { next: error.next };
    return { answer: new HttpError(error.exitCode === 2 ? 400 : 409, error.message, next), unexpected: false };
  }
  const answer = new HttpError(500, "something unexpected happened; see tempi logs web", { next: "tempi logs web" });
  return { answer, unexpected: true };
}

/** By name and not by class: this folder knows nothing of Temporal. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && (error.name === "SessionNotFound" || error.name === "WorkflowNotFoundError");

function isUnreachable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at.name === "ServiceError" || unreachableCodes.has((at as { code?: unknown }).code)) return true;
  }
  return false;
}

export const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
