import type { ExecuteInput, ExecuteResult } from "../src/protocol/activities.ts";
import { reservedActivityNames, type SessionActivities } from "../src/protocol/activities.ts";
import { executeActivity } from "./execute.ts";
import { modelActivity } from "./model.ts";
import { prepareActivity } from "./prepare.ts";
import type { ActivityServices } from "./services.ts";
import { settleActivity } from "./settle.ts";
import { verifyProofActivity } from "./verify-proof.ts";

type AllActivities = SessionActivities & Record<string, (input: ExecuteInput) => Promise<ExecuteResult>>;

/** Every activity of a worker: the session's own and one per tool, so that the Temporal UI's timeline names the tool. */
export function createActivities(services: ActivityServices): AllActivities {
  const names = services.tools.map(({ name }) => name);
  const taken = names.find(
    (name, at) => names.indexOf(name) !== at || (reservedActivityNames as string[]).includes(name),
  );
  if (taken) throw new Error(`two tools, or a tool and a part of tempi, are called "${taken}"`);
  const execute = executeActivity(services);
  return {
    model: modelActivity(services),
    prepare: prepareActivity(services),
    settle: settleActivity(services),
    verifyProof: verifyProofActivity(services),
    ...Object.fromEntries(names.map((name) => [name, execute])),
  } as AllActivities;
}
