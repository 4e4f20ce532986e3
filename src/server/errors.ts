/**
 * An error for a person about the Temporal server or its binary: what is wrong and the next step. Same shape as UserError of
 * src/config, which this folder may not import; `isUserError` there knows both.
 */
export class ServerError extends Error {
  readonly exitCode: number;
  readonly next: string | undefined;
  constructor(message: string, options: { exitCode?: number; next?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "ServerError";
    this.exitCode = options.exitCode ?? 1;
    this.next = options.next;
  }
}
