import type { Fault } from "./fault.ts";
import { killWorker } from "./processes.ts";

/** F25. */
export const cancel: Fault = async (victims) => {
  const hit = [...victims.underWay()];
  const driver = victims.drivers.find(({ id }) => id === victims.random.pick(hit));
  if (!driver) return { at: Date.now(), hit: [] };
  await driver.abort();
  return { at: Date.now(), hit: [driver.id] };
};

/** F18: the next decision comes ten times, under the same and another id. */
export const doubleDecision: Fault = async (victims) => {
  const sessionId = await victims.approver.doubleNext(4_000);
  const at = Date.now();
  return { at, hit: sessionId !== undefined && victims.underWay().has(sessionId) ? [sessionId] : [] };
};

/** F18 for prompts: one message arrives three times. */
export const doublePrompt: Fault = async (victims) => {
  const hit = [...victims.underWay()];
  const driver = victims.drivers.find(({ id }) => id === victims.random.pick(hit));
  if (!driver) return { at: Date.now(), hit: [] };
  await driver.prompt("followUp", "next", 3);
  return { at: Date.now(), hit: [driver.id] };
};

/** F26: messages arrive while the worker dies; sessions of the kind `long` go on in a new run all the time. */
export const promptAndKill: Fault = async (victims) => {
  const working = victims.drivers.filter(({ id }) => victims.underWay().has(id));
  const long = working.filter(({ plan }) => plan.kind === "long");
  const driver = victims.random.pick(long.length > 0 ? long : working);
  if (!driver) return { at: Date.now(), hit: [] };
  const sending = [driver.prompt("followUp"), driver.prompt("steer")];
  const struck = await killWorker(victims);
  await Promise.all(sending);
  return struck;
};

/** F03 as far as the follower goes. */
export const killFollower: Fault = async (victims) => {
  const follower = victims.random.pick(victims.followers);
  const working = victims.underWay();
  const killed = follower?.kill() ?? false;
  const { sessionId } = follower ?? {};
  return { at: Date.now(), hit: killed && sessionId !== undefined && working.has(sessionId) ? [sessionId] : [] };
};
