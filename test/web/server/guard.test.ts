import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Browser, rawRequest, type TestWeb, testWeb } from "../../support/web-client.ts";

const routesOf = (web: TestWeb) =>
  web.server.routes.map(({ method, path, guard }) => ({ method, guard, path: path.replace(":id", "k7f3qd") }));
const secretText = "secret-body-text";

async function ask(web: TestWeb, method: string, path: string, headers: Record<string, string>): Promise<Response> {
  return await fetch(`${web.base}${path}`, {
    method,
    headers,
    ...(method === "GET" || method === "HEAD" ? {} : { body: JSON.stringify({ text: secretText }) }),
  });
}

describe("the guard", () => {
  it("lets nobody in who is not signed in, and repeats nothing (W01)", async () => {
    const web = await testWeb();
    const json = { "Content-Type": "application/json", Origin: web.base };
    const device = routesOf(web).filter(({ guard }) => guard === "device");
    expect(device.length).toBeGreaterThan(14);
    const unknown = { method: "POST", path: "/api/what", guard: "device" };
    for (const { method, path } of [...device, unknown, { method: "GET", path: "/what" }]) {
      for (const wrong of [{}, { Authorization: "Bearer wrong" }, { Cookie: `tempi_${web.port}=wrong` }]) {
        const answer = await ask(web, method, path, { ...json, ...(wrong as Record<string, string>) });
        expect(answer.status, `${method} ${path}`).toBe(401);
        expect(answer.headers.get("www-authenticate")).toBeNull();
        const text = await answer.text();
        expect(JSON.parse(text)).toEqual({ error: "not signed in", next: expect.any(String) });
        expect(text).not.toContain(secretText);
      }
    }
    expect(web.client.asked).toEqual([]);
  });

  it("guards the path that is routed, however it is written (W01)", async () => {
    const web = await testWeb();
    const paths = [
      "/s/..\\api\\sessions",
      "/s/%2e%2e",
      "/assets/..\\api\\new",
      "/s/../api/me",
      "//api/sessions",
      "/s/\\..\\api",
    ];
    for (const path of paths) {
      const answer = await rawRequest(web.port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\n\r\n`);
      expect([400, 401], path).toContain(answer.status);
    }
    expect(web.client.calls("watch")).toEqual([]);
    // Should the guard ever let such a path pass, the route itself asks.
    for (const { path, method } of routesOf(web).filter(({ guard }) => guard === "device")) {
      const incoming = {} as IncomingMessage;
      const answer = await web.server.app.request(path, { method }, { incoming, outgoing: {} as ServerResponse });
      expect(answer.status, path).toBe(401);
    }
  });

  it("takes JSON only, before it looks at who asks (W02)", async () => {
    const web = await testWeb();
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
    ];
    for (const { path } of routesOf(web).filter(({ method }) => method === "POST")) {
      for (const type of types) {
        const headers = { "Content-Type": type, Origin: web.base, ...web.bearer };
        expect((await ask(web, "POST", path, headers)).status, `${path} ${type}`).toBe(415);
      }
      const bare = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\nOrigin: ${web.base}\r\nContent-Length: 2\r\n\r\n{}`;
      expect((await rawRequest(web.port, bare)).status).toBe(415);
    }
    expect(web.client.asked).toEqual([]);
    const basic = await fetch(`${web.base}/api/me`, { headers: { Authorization: `Basic ${btoa("a:b")}` } });
    expect([basic.status, basic.headers.get("www-authenticate")]).toEqual([401, null]);
  });

  it.each([["http://evil.example"], ["null"], ["http://127.0.0.1.evil.example"]])(
    "refuses an upgrade from %s (W03)",
    async (origin) => {
      const web = await testWeb();
      const upgrade = (from: string, more = "") =>
        `GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: ${from}\r\n${more}\r\n`;
      const answer = await rawRequest(web.port, upgrade(origin), /$^/);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("Content-Security-Policy");
      expect((await rawRequest(web.port, upgrade(web.base), /$^/)).status).toBe(401);
      const signedIn = `Authorization: ${web.bearer.Authorization}\r\n`;
      expect((await rawRequest(web.port, upgrade(web.base, signedIn), /$^/)).status).toBe(426);
    },
  );

  it("answers under its own names only, on every route (W04)", async () => {
    const web = await testWeb({ publicUrl: "https://tempi.example" });
    const status = async (path: string, hosts: string[], method = "GET") => {
      const lines = hosts.map((host) => `Host: ${host}\r\n`).join("");
      const request = `${method} ${path} HTTP/1.1\r\n${lines}Authorization: ${web.bearer.Authorization}\r\n\r\n`;
      return (await rawRequest(web.port, request)).status;
    };
    const own = `127.0.0.1:${web.port}`;
    for (const path of [...new Set(routesOf(web).map((route) => route.path)), "/what"]) {
      for (const method of ["GET", "POST"]) {
        for (const host of [
          `evil.example:${web.port}`,
          "evil.example",
          "127.0.0.1",
          `127.0.0.1:${web.port}.evil.example`,
        ]) {
          expect(await status(path, [host], method), `${method} ${path} ${host}`).toBe(403);
        }
        expect(await status(path, [""], method)).toBe(400);
        expect(await status(path, [], method)).toBe(400);
        expect(await status(path, [own, own], method)).toBe(400);
      }
    }
    for (const host of [own, `LOCALHOST:${web.port}`, `[::1]:${web.port}`, "tempi.example"]) {
      expect(await status("/api/me", [host]), host).toBe(200);
    }
    expect(await status(`http://evil.example/api/me`, [own])).toBe(400);
  });

  it("answers on the address of the network it was given, and says what stands in its way", async () => {
    const web = await testWeb({ lan: "127.0.0.2" });
    const near = await fetch(`http://127.0.0.2:${web.port}/api/me`, { headers: web.bearer });
    expect(near.status).toBe(200);
    const taken = await testWeb({ port: web.port, home: web.home }).catch((error: unknown) => error);
    expect(taken).toMatchObject({
      message: `port ${web.port} of 127.0.0.1 is taken`,
      next: expect.stringContaining("--port"),
    });
    const elsewhere = await testWeb({ lan: "203.0.113.7" }).catch((error: unknown) => error);
    expect(elsewhere).toMatchObject({ message: "203.0.113.7 is no address of this machine" });
  });

  it("compares an Origin whole, also where something is only read (W05)", async () => {
    const web = await testWeb();
    const foreign = [
      `http://localhost.evil.example:${web.port}`,
      "http://127.0.0.1.evil.example",
      `https://127.0.0.1:${web.port}`,
      `http://127.0.0.1:${web.port + 1}`,
      `${web.base}/`,
      "null",
    ];
    for (const { method, path } of [...routesOf(web), { method: "GET", path: "/what" }]) {
      for (const Origin of foreign) {
        const headers = { ...web.bearer, "Content-Type": "application/json", Origin };
        expect((await ask(web, method, path, headers)).status, `${method} ${path} ${Origin}`).toBe(403);
      }
    }
    // A name of this server, and not the one it was asked by: on a phone that is a page of the phone.
    const other = { ...web.bearer, "Content-Type": "application/json", Origin: `http://localhost:${web.port}` };
    expect((await ask(web, "POST", "/api/login", other)).status).toBe(403);
    const browser = await Browser.signedIn(web);
    const headers = { ...browser.headers, "Content-Type": "application/json" };
    expect((await ask(web, "POST", "/api/sessions", headers)).status).toBe(403);
    expect(web.client.asked).toEqual([]);
  });

  it("refuses what another site's page asks, and follows its links to the page", async () => {
    const web = await testWeb();
    const status = async (path: string, headers: Record<string, string>) => {
      const lines = Object.entries({ ...web.bearer, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
      const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\n${lines.join("")}\r\n`;
      return (await rawRequest(web.port, request)).status;
    };
    const link = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    for (const site of ["cross-site", "same-site"]) {
      expect(await status("/api/me", { "Sec-Fetch-Site": site })).toBe(403);
      expect(await status("/api/me", { "Sec-Fetch-Site": site, ...link })).toBe(403);
      expect(await status("/s/k7f3qd", { "Sec-Fetch-Site": site })).toBe(403);
      expect(await status("/s/k7f3qd", { "Sec-Fetch-Site": site, ...link })).toBe(200);
      expect(await status("/s/k7f3qd", { "Sec-Fetch-Site": site, ...link, "Sec-Fetch-Dest": "iframe" })).toBe(403);
    }
    expect(await status("/api/me", { "Sec-Fetch-Site": "same-origin" })).toBe(200);
  });

  it("serves the table of routes and nothing else (W09)", async () => {
    const web = await testWeb();
    const listed = web.server.routes.map(({ method, path, guard }) => `${method} ${path} ${guard}`).sort();
    expect(listed).toEqual([
      "GET / public",
      "GET /api/me device",
      "GET /api/new device",
      "GET /api/sessions device",
      "GET /api/sessions/:id device",
      "GET /api/sessions/:id/events device",
      "GET /api/sessions/:id/messages device",
      "GET /api/sessions/:id/stream device",
      "GET /api/sessions/stream device",
      "GET /assets/:name public",
      "GET /favicon.svg public",
      "GET /open public",
      "GET /pair public",
      "GET /s/:id public",
      "POST /api/login public",
      "POST /api/logout device",
      "POST /api/pair public",
      "POST /api/sessions device",
      "POST /api/sessions/:id/decide device",
      "POST /api/sessions/:id/end device",
      "POST /api/sessions/:id/retry device",
      "POST /api/sessions/:id/send device",
      "POST /api/sessions/:id/settings device",
      "POST /api/sessions/:id/stop device",
    ]);
    const served = web.server.app.routes.filter(({ method }) => method !== "ALL");
    expect(served.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      web.server.routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    // What takes every method answers 405 and belongs to a path of the table.
    const all = web.server.app.routes.filter(({ method }) => method === "ALL").map(({ path }) => path);
    expect(new Set(all)).toEqual(new Set(web.server.routes.map(({ path }) => path)));
    const documented = readFileSync(join(import.meta.dirname, "../../../src/web/api.ts"), "utf8");
    for (const { method, path } of web.server.routes.filter(({ path }) => path.startsWith("/api/"))) {
      const last = path.split("/").at(-1)!;
      expect(documented.includes(`${method} ${path}`) || documented.includes(`…/${last}`), `${method} ${path}`).toBe(
        true,
      );
    }
  });

  it("refuses a change of policy, and notes it (W10)", async () => {
    const web = await testWeb();
    web.client.add("k7f3qd", {});
    const browser = await Browser.signedIn(web);
    for (const change of [
      { approval: "auto" },
      { model: { provider: "x", model: "y" } },
      { thinking: "low", approval: "auto" },
    ]) {
      expect((await browser.post("/api/sessions/k7f3qd/settings", change)).status).toBe(403);
    }
    expect(
      web.lines.filter((line) => line.startsWith("audit: refused: change of approval of k7f3qd by ann@here")),
    ).toHaveLength(2);
    expect(web.client.demo.get("k7f3qd")!.events).toEqual([]);
    expect((await browser.post("/api/sessions/k7f3qd/settings", { thinking: "low" })).status).toBe(202);
    expect(web.client.demo.get("k7f3qd")!.state.settings.thinking).toBe("low");
  });

  it("knows no other path, says which methods a path has, and HEAD does nothing (B21)", async () => {
    const web = await testWeb();
    web.client.add("k7f3qd", {});
    const json = { ...web.bearer, "Content-Type": "application/json", Origin: web.base };
    expect((await ask(web, "GET", "/api/what", json)).status).toBe(404);
    for (const [method, path, allow] of [
      ["PUT", "/api/me", "GET, HEAD"],
      ["POST", "/api/me", "GET, HEAD"],
      ["DELETE", "/api/sessions", "GET, HEAD, POST"],
      ["GET", "/api/sessions/k7f3qd/decide", "POST"],
      ["HEAD", "/api/sessions/k7f3qd/stop", "POST"],
      ["GET", "/api/login", "POST"],
    ] as const) {
      const answer = await ask(web, method, path, json);
      expect([answer.status, answer.headers.get("allow")], `${method} ${path}`).toEqual([405, allow]);
    }
    const trace = `TRACE /api/me HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\nContent-Type: application/json\r\nAuthorization: ${web.bearer.Authorization}\r\n\r\n`;
    expect((await rawRequest(web.port, trace)).status).toBe(405);
    for (const { path, method } of routesOf(web).filter((route) => route.method === "GET")) {
      const answer = await ask(
        web,
        "HEAD",
        path === "/api/sessions/k7f3qd/events" ? `${path}?before=1` : path,
        web.bearer,
      );
      expect(method === "GET" && [200, 404].includes(answer.status), `${path} ${answer.status}`).toBe(true);
      expect(await answer.text()).toBe("");
    }
    expect(web.client.calls("follow")).toEqual([]);
  });

  it("gives every answer the same headers", async () => {
    const web = await testWeb();
    const paths = ["/", "/api/me", "/what", "/assets/page-a1b2c3.js", "/assets/none.js"];
    for (const path of paths) {
      const { headers } = await fetch(`${web.base}${path}`);
      expect(headers.get("content-security-policy")).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
