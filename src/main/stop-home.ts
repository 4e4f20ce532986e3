import type { Home } from "../config/home.ts";
import { downCommand } from "./down-command.ts";

/** `tempi down` for a home, without a word. */
export const stopHome = (home: Home): Promise<void> =>
  downCommand({
    home,
    environment: process.env,
    write: () => undefined,
    say: () => undefined,
    workerProgram: undefined,
  });
