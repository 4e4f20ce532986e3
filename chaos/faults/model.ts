import type { ModelFault } from "../model/server.ts";
import type { Fault } from "./fault.ts";

/** Milliseconds to wait for an answer that the fault fits. */
const patienceMs = 4_000;

const modelFault =
  (fault: ModelFault): Fault =>
  async ({ model, idOf }) => {
    const session = await model.arm(fault, patienceMs);
    return { at: Date.now(), hit: session === undefined ? [] : [idOf(session)] };
  };

/** F14. */
export const cutText = modelFault("cutText");
export const cutArguments = modelFault("cutArguments");
/** F16: 429 with retry-after, 500. */
export const rateLimit = modelFault("rateLimit");
export const serverError = modelFault("serverError");
/** F13: between the model's reading and its edit. */
export const changeOutside = modelFault("changeOutside");
