import { createHmac, timingSafeEqual } from "node:crypto";
import type { VerifyInput, VerifyResult } from "../src/protocol/activities.ts";
import type { ActivityServices } from "./services.ts";

/** Whether a text was signed with this home's key. With proofs switched off in the configuration, every one is. */
export const verifyProofActivity =
  (services: ActivityServices) =>
  async ({ text, proof }: VerifyInput): Promise<VerifyResult> => {
    const key = services.decisionKey();
    if (key === undefined) return { v: 1, valid: true };
    const expected = createHmac("sha256", Buffer.from(key, "hex")).update(text).digest();
    const given = Buffer.from(proof, "hex");
    return { v: 1, valid: given.length === expected.length && timingSafeEqual(given, expected) };
  };
