import { signal } from "@preact/signals";
import { nextStep, sentence } from "../../../agent/format.ts";
import type { ApiError } from "../../api.ts";

/** Whether the server knows this browser; undefined until it was asked. */
export const signedIn = signal<boolean | undefined>(undefined);

/** What the server said was wrong. `status` 0: no answer came. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly next: string | undefined;

  constructor(status: number, message: string, next?: string) {
    super(message);
    this.status = status;
    this.next = next;
  }
}

/** Whether the same question may be answered a little later: no answer came, or the server's own fault. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status >= 500);

/** Words for a person: what is wrong, and the next step where there is one. */
export const failureText = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const next = error instanceof ApiFailure ? error.next : undefined;
  return next ? `${sentence(message)} ${nextStep(next)}` : message;
};

export const read = <T>(path: string): Promise<T> => request<T>(path, { method: "GET" });

/** `Body` = the shape of the API; no body is an empty one. */
export const post = <T = void, Body extends object = object>(path: string, body?: Body): Promise<T> =>
  request<T>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, { ...init, credentials: "same-origin" }).catch(() => {
    throw new ApiFailure(0, "The server does not answer.", "look whether `tempi web` still runs");
  });
  if (response.status === 401) signedIn.value = false;
  if (!response.ok) throw await failureOf(response);
  if (response.status !== 401) signedIn.value = true;
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => undefined)) as Partial<ApiError> | undefined;
  return new ApiFailure(response.status, body?.error ?? `The server answered ${response.status}.`, body?.next);
}

/** Letters and digits of `alphabet`, by the browser's source of randomness; works without a secure context too. */
export function randomText(alphabet: string, length: number): string {
  const values = crypto.getRandomValues(new Uint32Array(length));
  return Array.from(values, (value) => alphabet[value % alphabet.length]).join("");
}

export const newSignalId = (): string => randomText("23456789abcdefghjkmnpqrstvwxyz", 20);
