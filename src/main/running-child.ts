import type { ChildProcess } from "node:child_process";
import { identityOf, type ProcessIdentity, waitForExit } from "../server/process-identity.ts";
import type { RunningChild } from "./child-keeper.ts";

/** Our own child process as the keeper sees it. Rejects when it could not be started at all. */
export async function spawnedChild(child: ChildProcess): Promise<RunningChild> {
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  // After `leave` nothing may keep the supervisor from ending.
  child.unref();
  // It may already have died: then any start time will do, no process has it.
  const identity = identityOf(child.pid!) ?? { pid: child.pid!, start: "gone" };
  return { identity, exited };
}

/** A process that another supervisor left. It is no child of ours, so it is watched by asking. */
export function adoptedChild(identity: ProcessIdentity): RunningChild {
  const gone = async (): Promise<string> => {
    while (!(await waitForExit(identity, 3_600_000)));
    return "ended";
  };
  return { identity, exited: gone(), adopted: true };
}
