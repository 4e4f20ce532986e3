import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { parseStrictJson } from "../../../src/web/server/strict-json.ts";
import { testApproval } from "../../support/fake-session-client.ts";
import { Browser, rawRequest, type TestWeb, testWeb } from "../../support/web-client.ts";

const decide = "/api/sessions/k7f3qd/decide";

async function waiting(): Promise<{ web: TestWeb; browser: Browser }> {
  const web = await testWeb();
  web.client.add("k7f3qd", {}).ask(testApproval());
  return { web, browser: await Browser.signedIn(web) };
}

const errorOf = async (answer: Response): Promise<string> => ((await answer.json()) as { error: string }).error;

describe("a body", () => {
  it.each([
    ["not json", 1],
    ["", 1],
    ['{"approvalId":"a"', 18],
    ['{"approvalId":"a",}', 19],
    ['{"a":1 "b":2}', 8],
    ['{"a":"x', 8],
    ['{"a":tru}', 6],
    ['{"a":01}', 7],
    ["{} {}", 4],
    ["[1,2", 5],
    ["[1}", 3],
    ["'a'", 1],
  ])("that is not JSON is 400 with the position: %s (B16)", async (text, position) => {
    const { web, browser } = await waiting();
    const answer = await browser.post(decide, text);
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatch(new RegExp(`^the body is not usable JSON: .*, at position ${position}$`));
    expect(web.client.demo.get("k7f3qd")!.state.pending).toHaveLength(1);
  });

  it("is refused by its length before it is read, and by counting where it says none (B17)", async () => {
    const { web } = await waiting();
    const head = `POST ${decide} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\nAuthorization: ${web.bearer.Authorization}\r\nContent-Type: application/json\r\n`;
    const told = await rawRequest(web.port, `${head}Content-Length: 11534336\r\n\r\n`);
    expect(told.status).toBe(413);
    const expecting = await rawRequest(web.port, `${head}Expect: 100-continue\r\nContent-Length: 11534336\r\n\r\n`);
    expect(expecting.status).toBe(413);

    const before = process.memoryUsage().rss;
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { ...web.bearer, "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
      const sending = request({ port: web.port, path: decide, method: "POST", headers, agent: false }, (answer) => {
        resolve(answer.statusCode!);
        sending.destroy();
      });
      sending.on("error", reject);
      let sent = 0;
      const chunk = " ".repeat(64 * 1024);
      const more = () => {
        while (sent++ < 11 * 16) if (!sending.write(chunk)) return void sending.once("drain", more);
        sending.end();
      };
      more();
    });
    expect(status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("may be nested 64 deep (B17)", async () => {
    const { browser } = await waiting();
    const answer = await browser.post(decide, "[".repeat(100_000) + "]".repeat(100_000));
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toContain("nested deeper than 64, at position 65");
    expect(parseStrictJson("[".repeat(64) + "]".repeat(64))).toBeInstanceOf(Array);
  });

  it.each(["__proto__", "constructor", "\\u005f_proto__"])("may not have the key %s (B18)", async (key) => {
    const { browser } = await waiting();
    const args = `{"approvalId":"run-1.1.1.abc","decision":"allow","args":{"a":{"${key}":{"polluted":true}}}}`;
    expect((await browser.post(decide, args)).status).toBe(400);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("may not name a key twice (B19)", async () => {
    const { web, browser } = await waiting();
    for (const twice of [
      '{"approvalId":"run-1.1.1.abc","decision":"deny","decision":"allow"}',
      '{"approvalId":"run-1.1.1.abc","decision":"deny","d\\u0065cision":"allow"}',
    ]) {
      const answer = await browser.post(decide, twice);
      expect([answer.status, await errorOf(answer)]).toEqual([400, expect.stringContaining("twice")]);
    }
    expect(web.client.demo.get("k7f3qd")!.state.pending).toHaveLength(1);
    // The same key in two objects is no such thing.
    expect(parseStrictJson('{"a":{"x":1},"b":{"x":1},"c":[{"x":"\\n é"}]}')).toEqual({
      a: { x: 1 },
      b: { x: 1 },
      c: [{ x: "\n é" }],
    });
  });

  it.each(["yes", true, "APPROVE ", "Allow", "allow ", null, ["allow"]])(
    "decides by exactly allow or deny, not %j (B20)",
    async (decision) => {
      const { web, browser } = await waiting();
      const answer = await browser.post(decide, { approvalId: "run-1.1.1.abc", decision });
      expect([answer.status, await errorOf(answer)]).toEqual([400, '"decision" must be one of allow, deny']);
      expect(web.client.demo.get("k7f3qd")!.state.pending).toHaveLength(1);
    },
  );

  it("is named by the key that is wrong, without its value", async () => {
    const { browser } = await waiting();
    const wrong: [string, unknown, string][] = [
      [decide, { approvalId: "a", decision: "allow", force: "secret" }, 'unknown key "force"'],
      [decide, { approvalId: "a", decision: "allow", ["k".repeat(300)]: 1 }, `unknown key "${"k".repeat(99)}"`],
      [decide, { decision: "allow" }, '"approvalId" is missing'],
      [decide, ["secret"], "the body: must be an object"],
      ["/api/sessions", { prompt: "x", cwd: "secret/relative" }, '"cwd" must be an absolute path'],
      [
        "/api/sessions/k7f3qd/send",
        { id: "a b", text: "x", delivery: "steer" },
        '"id" must be 1 to 64 letters, digits or -',
      ],
      ["/api/sessions/k7f3qd/send", { id: "a", text: "", delivery: "steer" }, '"text" must be a text of at most'],
      ["/api/sessions/k7f3qd/stop", { now: true }, 'unknown key "now"'],
      ["/api/sessions/k7f3qd/settings", { activeTools: [] }, 'unknown key "activeTools"'],
    ];
    for (const [path, body, words] of wrong) {
      const answer = await browser.post(path, body);
      expect([answer.status, await errorOf(answer)], path).toEqual([400, expect.stringContaining(words)]);
    }
  });
});

describe("a session id", () => {
  it.each(["zzzzzz", "k7f3q", "K7F3QD", "%2e%2e%2fx", "..%2Fx", "x".repeat(2_000), "k7f3qd%00"])(
    "that does not fit is 404 before anything is asked: %s (B04)",
    async (id) => {
      const { web, browser } = await waiting();
      for (const path of ["", "/messages", "/stream", "/events?before=3"]) {
        const answer = await browser.get(`/api/sessions/${id}${path}`);
        expect([answer.status, await errorOf(answer)], path).toEqual([404, expect.stringContaining("no such session")]);
      }
      for (const act of ["stop", "end", "retry"]) {
        expect((await browser.post(`/api/sessions/${id}/${act}`)).status).toBe(404);
      }
      const send = await browser.post(`/api/sessions/${id}/send`, { id: "a", text: "x", delivery: "steer" });
      expect(send.status).toBe(404);
      expect(web.client.demo.get("k7f3qd")!.state.state).toBe("waiting");
    },
  );
});
