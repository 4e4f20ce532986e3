import { ActivityFailure, ApplicationFailure } from "@temporalio/workflow";

/** What an activity itself said, where it failed by its own word. */
export function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
