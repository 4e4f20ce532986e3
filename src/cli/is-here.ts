import type { SessionSummary } from "../client/contract.ts";

/** Whether a session belongs to where the person stands: the same repository or a folder of the same tree. */
export const isHere = (session: SessionSummary, here: { cwd: string; repository: string; root: string }): boolean =>
  session.cwd === here.root || session.cwd === here.cwd || session.cwd.startsWith(`${here.root}/`);
