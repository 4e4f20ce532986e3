import { expect, it } from "vitest";
import { listDevices, revokeDevice } from "../../../src/web/access/devices.ts";
import { makePairingCode } from "../../../src/web/access/pairing.ts";
import { testApproval } from "../../support/fake-session-client.ts";
import { Browser, rawRequest, testWeb } from "../../support/web-client.ts";

const phone = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0";

it("exchanges the token for a cookie that scripts and other sites do not get", async () => {
  const web = await testWeb();
  const browser = new Browser(web, phone);
  const wrong = await browser.post("/api/login", { token: "wrong" });
  expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([403, null]);
  const right = await browser.post("/api/login", { token: web.bearer.Authorization.slice(7) });
  expect(right.status).toBe(204);
  expect(right.headers.get("set-cookie")).toMatch(
    new RegExp(`^tempi_${web.port}=[\\w-]{43}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict$`),
  );
  expect(await (await browser.get("/api/me")).json()).toEqual({ name: "ann@here", version: "1.2.3" });
  expect(listDevices(web.home)).toMatchObject([{ name: "Firefox on Android", kind: "token" }]);
  const text = web.lines.join("\n");
  expect(text).toContain("wrong token");
  expect(text).toMatch(/login from 127.0.0.1: device \w+, Firefox on Android/);
  expect(text).not.toContain(web.bearer.Authorization.slice(7));
});

it("pairs a device once by a code; its decisions bear its name", async () => {
  const web = await testWeb();
  const { code } = makePairingCode(web.home);
  const first = new Browser(web, phone);
  const second = new Browser(web, phone);
  const answers = await Promise.all([first, second].map((browser) => browser.post("/api/pair", { code })));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
  const again = await new Browser(web).post("/api/pair", { code });
  const wrong = await new Browser(web).post("/api/pair", { code: "23456789abcdef" });
  expect([again.status, wrong.status]).toEqual([403, 403]);
  expect(await again.text()).toBe(await wrong.text());

  const paired = answers[0]!.status === 204 ? first : second;
  expect(await (await paired.get("/api/me")).json()).toMatchObject({ name: "Firefox on Android (127.0.0.1)" });
  const session = web.client.add("k7f3qd", {});
  session.ask(testApproval());
  await paired.post("/api/sessions/k7f3qd/decide", { approvalId: "run-1.1.1.abc", decision: "deny" });
  const resolved = session.events.find(({ event }) => event.type === "approval_resolved")!.event;
  expect(resolved).toMatchObject({ by: "Firefox on Android (127.0.0.1)", via: "page", decision: "deny" });
});

it("ends the streams of a device that is revoked, and of one that logs out", async () => {
  const web = await testWeb();
  web.client.add("k7f3qd", {});
  const lost = await Browser.signedIn(web);
  const [device] = listDevices(web.home);
  const other = await Browser.signedIn(web);
  const paths = ["/api/sessions/stream", "/api/sessions/k7f3qd/stream"];
  const gone = await Promise.all(paths.map((path) => lost.stream(path)));
  const kept = await other.stream("/api/sessions/stream");
  expect(revokeDevice(web.home, device!.id)).toBe(true);
  expect((await lost.get("/api/me")).status).toBe(401);
  await Promise.all(gone.map(({ ended }) => ended));
  expect(kept.isEnded).toBe(false);

  const out = await other.post("/api/logout");
  expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
  await kept.ended;
  expect(listDevices(web.home)).toEqual([]);
});

it("marks the cookie Secure when it came through the proxy, and tells the Temporal UI to this machine only", async () => {
  const web = await testWeb({ publicUrl: "https://tempi.example", temporalUi: () => "http://127.0.0.1:7612" });
  const body = JSON.stringify({ token: web.bearer.Authorization.slice(7) });
  const login = async (host: string, origin: string) => {
    const head = `POST /api/login HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n`;
    return (await rawRequest(web.port, head + body)).text;
  };
  expect(await login("tempi.example", "https://tempi.example")).toMatch(
    /^HTTP\/1.1 204[\s\S]*SameSite=Strict; Secure\r\n/,
  );
  const own = await login(`127.0.0.1:${web.port}`, web.base);
  expect(own).toMatch(/^HTTP\/1.1 204/);
  expect(own).not.toContain("Secure");
  const me = async (host: string) =>
    (
      await rawRequest(
        web.port,
        `GET /api/me HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${web.bearer.Authorization}\r\n\r\n`,
      )
    ).text;
  expect(await me(`127.0.0.1:${web.port}`)).toContain('"temporalUi":"http://127.0.0.1:7612"');
  expect(await me("tempi.example")).not.toContain("7612");
});
