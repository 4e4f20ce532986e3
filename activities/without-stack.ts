import { ApplicationFailure } from "@temporalio/common";

/** A failure as history shall hold it: its text says what is wrong; a stack would add paths of this machine, each time. */
export function withoutStack(options: Parameters<typeof ApplicationFailure.create>[0]): ApplicationFailure {
  const failure = ApplicationFailure.create(options);
  failure.stack = "";
  return failure;
}
