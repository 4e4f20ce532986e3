/** An error for a person: what is wrong, and the command or action that mends it. */
export class UserError extends Error {
  /** Exit code of the process: 1 failed, 2 usage or configuration. */
  readonly exitCode: number;
  /** The next step in words or as a command; absent where there is none. */
  readonly next: string | undefined;
  constructor(message: string, options: { exitCode?: number; next?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "UserError";
    this.exitCode = options.exitCode ?? 1;
    this.next = options.next;
  }
}

/** Exit code 2: the command line asks for something that does not exist. */
export class UsageError extends UserError {
  constructor(message: string, next?: string) {
    super(message, { exitCode: 2, ...(next === undefined ? {} : { next }) });
    this.name = "UsageError";
  }
}

/** Exit code 2: a configuration file or variable holds something wrong; the message names file, line and key. */
export class ConfigError extends UserError {
  constructor(message: string, next?: string) {
    super(message, { exitCode: 2, ...(next === undefined ? {} : { next }) });
    this.name = "ConfigError";
  }
}

/**
 * Whether an error is meant for a person. Looks at the shape and not at the class: folders that may not import
 * this one (src/server) have errors of the same shape.
 */
export const isUserError = (error: unknown): error is Error & { exitCode: number; next?: string } =>
  error instanceof Error && typeof (error as { exitCode?: unknown }).exitCode === "number" && "next" in error;

/** One line for stderr: `tempi: what is wrong. Next: command`. Unexpected errors say where to look. */
export function errorLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  const next = isUserError(error) ? error.next : "tempi doctor";
  return `tempi: ${sentence}${next ? ` Next: ${next}` : ""}`;
}
