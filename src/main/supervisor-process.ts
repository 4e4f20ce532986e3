/** Run as a program by `tempi up --detach` and `tempi run`: the supervisor in the background. */
import { enableCompileCache } from "node:module";

enableCompileCache();
const { homeOf } = await import("../config/home.ts");
const { errorLine } = await import("../config/errors.ts");
const { supervise } = await import("./supervisor.ts");

/** Handed over as one JSON argument; no secrets, it stands in the process list. */
export interface BackgroundArguments {
  binary: string;
  profile?: string;
  address?: string;
  namespace?: string;
  idleExitMinutes?: number;
  extraVariables: string[];
  workerProgram?: string;
}

try {
  const given = JSON.parse(process.argv[2] ?? "{}") as BackgroundArguments;
  const { resolveAddress } = await import("../server/resolve-address.ts");
  const named = given.profile !== undefined || given.address !== undefined;
  const supervisor = await supervise({
    home: homeOf(),
    environment: process.env,
    ...given,
    target: named ? resolveAddress({ ...given, environment: process.env }) : { kind: "own" },
  });
  if (!supervisor) process.exit(0);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void supervisor.stop());
  process.on("SIGHUP", () => undefined);
  await supervisor.ended;
  process.exit(0);
} catch (error) {
  console.error(errorLine(error));
  process.exit(1);
}
