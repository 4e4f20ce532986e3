import { ModelError, type ModelRequest } from "../contract.ts";
import { isLoopback } from "./compat.ts";

export interface Endpoint {
  url: URL;
  /** Absent for servers on this machine that want none. */
  apiKey: string | undefined;
  keyVariable: string | undefined;
}

/**
 * Address and key of a request.
 * @throws ModelError `invalid` for an address that cannot be used, `auth` for a key that is missing or malformed. The
 *   texts name the variable, never the key.
 */
export function endpointOf(request: ModelRequest): Endpoint {
  const address = request.baseUrl?.trim();
  if (!address) {
    throw new ModelError("invalid", `no base URL is given for the provider "${request.provider}"`, {
      next: "name its base URL in the configuration",
    });
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ModelError("invalid", `the base URL of "${request.provider}" is not an http or https address`);
  }
  if (url.username || url.password) {
    throw new ModelError("invalid", `the base URL of "${request.provider}" must not hold a user name or password`);
  }
  const { keyVariable } = request;
  const apiKey = request.apiKey?.trim() || undefined;
  const source = keyVariable ?? `the key of "${request.provider}"`;
  if (!apiKey && !isLoopback(url)) {
    throw new ModelError("auth", `no API key for ${url.host}: ${source} is not set`, { next: `set ${source}` });
  }
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ModelError("auth", `${source} holds spaces, line breaks or other characters that no key has`, {
      next: `set ${source} to the key alone`,
    });
  }
  if (apiKey && /^["'].*["']$/.test(apiKey)) {
    throw new ModelError("auth", `${source} holds the key in quotes`, {
      next: `set ${source} to the key without quotes`,
    });
  }
  return { url, apiKey, keyVariable };
}
