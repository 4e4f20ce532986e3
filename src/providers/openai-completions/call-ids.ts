import { createHash } from "node:crypto";
import type { CompatFlags } from "./compat.ts";

/**
 * Gives every call of a conversation an id that is not empty, unique and short enough. A good id stays; a made-up one
 * depends only on what stands before it, so that it is the same in each later request (and the endpoint's cache holds).
 */
export function callIdAllocator(
  compat: Pick<CompatFlags, "maximumIdLength" | "nineCharacterIds">,
): (id: string) => string {
  const used = new Set<string>();
  let count = 0;
  const fits = (id: string) =>
    compat.nineCharacterIds
      ? /^[a-zA-Z0-9]{9}$/.test(id)
      : /^[\x21-\x7e]+$/.test(id) && id.length <= compat.maximumIdLength;
  const madeUp = (seed: string) => {
    const digest = createHash("sha256").update(seed).digest("hex");
    return compat.nineCharacterIds ? digest.slice(0, 9) : `call_${digest.slice(0, 16)}`;
  };
  return (id) => {
    count++;
    let wireId = id;
    for (let attempt = 0; used.has(wireId) || !fits(wireId); attempt++) wireId = madeUp(`${count}.${attempt}.${id}`);
    used.add(wireId);
    return wireId;
  };
}
