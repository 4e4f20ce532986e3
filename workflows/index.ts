/** What the worker bundles: every workflow type of tempi. */
export { fileMutex } from "./file-mutex.ts";
export { session } from "./session.ts";
