/** What the address bar asks for. A secret of `open` or `pair` stands in the fragment, which no server log sees. */
export type Route =
  | { page: "home" }
  | { page: "new" }
  | { page: "session"; id: string }
  | { page: "enter"; way: "login" | "pair"; secret: string }
  | { page: "unknown" };

export function routeOf(path: string, hash = ""): Route {
  if (path === "/") return hash === "#new" ? { page: "new" } : { page: "home" };
  if (path === "/open") return { page: "enter", way: "login", secret: hash.replace(/^#/, "") };
  if (path === "/pair") return { page: "enter", way: "pair", secret: hash.replace(/^#/, "") };
  const session = /^\/s\/([0-9a-z]{1,32})\/?$/.exec(path);
  return session ? { page: "session", id: session[1]! } : { page: "unknown" };
}

export const pathOfSession = (id: string): string => `/s/${id}`;
