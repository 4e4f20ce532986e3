import { registerHooks } from "node:module";

const own = new URL("../../index.ts", import.meta.url).href;

/**
 * Lets extensions import `tempi` (and TypeBox) from wherever they lie: in the user's configuration folder there are no
 * dependencies. A copy that an extension brings itself wins, except of `tempi`: it must be the running one.
 */
export function resolvePackagesForExtensions(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "tempi") return { url: own, shortCircuit: true };
      try {
        return next(specifier, context);
      } catch (error) {
        if (!specifier.startsWith("@sinclair/typebox")) throw error;
        return next(specifier, { ...context, parentURL: own });
      }
    },
  });
}
