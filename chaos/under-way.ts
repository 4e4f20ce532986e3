import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../src/server/process-identity.ts";
import type { ModelServer } from "./model/server.ts";
import type { World } from "./world.ts";

/**
 * Ids of the sessions with a call or a stream under way at this moment: an attempt that the living worker has written down, or
 * an answer that the model is sending. Asks nobody, so that the moment is the one of the fault.
 */
export function underWay(world: World, model: ModelServer, idOf: (session: number) => string): Set<string> {
  const streaming = [...model.open].filter(([, count]) => count > 0).map(([session]) => idOf(session));
  return new Set([...streaming, ...attempts(world)]);
}

function attempts(world: World): string[] {
  const worker = world.state()?.worker;
  if (!isAlive(worker)) return [];
  const folder = join(world.home.run, "attempts");
  return namesIn(folder)
    .filter((name) => name.startsWith(`${worker.pid}-`))
    .flatMap((name) => {
      try {
        // The engine's token of an attempt holds the workflow's id.
        const token = Buffer.from(readFileSync(join(folder, name), "utf8"), "base64").toString("latin1");
        return /session-([2-9a-z]{6})/.exec(token)?.[1] ?? [];
      } catch {
        return [];
      }
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
