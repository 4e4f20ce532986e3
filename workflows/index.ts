/** What the worker bundles: every workflow type of tempi. */
export { session } from "./session.ts";
