/** Takes the lock named by the argument, says whether it got it, and stays until its input ends. */
import { tryLock } from "../../src/server/lock.ts";

const lock = tryLock(process.argv[2]!);
console.log("release" in lock ? "taken" : "held");
process.stdin.resume();
