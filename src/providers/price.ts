import type { Usage } from "../agent/messages.ts";

/** US dollars per million tokens. A cache price that is not given is that of input. */
export interface Price {
  input: number;
  output: number;
  cache_read?: number;
  cache_write?: number;
}

/** The usage with what it costs: what the endpoint itself told, else by the price, else as it is. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
  if (usage.cost !== undefined || !price) return usage;
  const { input, output, cacheRead, cacheWrite } = usage;
  // An endpoint that counts nothing was not free: what it cost is missing in the sum.
  if (input + output + cacheRead + cacheWrite === 0) return { ...usage, costIncomplete: true };
  const cost =
    input * price.input +
    output * price.output +
    cacheRead * (price.cache_read ?? price.input) +
    cacheWrite * (price.cache_write ?? price.input);
  return { ...usage, cost: cost / 1_000_000 };
}
