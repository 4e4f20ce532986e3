import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answerMessage, resultMessage } from "../../support/fake-session-client.ts";
import { Browser, rawRequest, testHome, testPage, testWeb } from "../../support/web-client.ts";

it("serves the page without sign-in, under a policy that runs no text and loads nothing from elsewhere (W06, W07)", async () => {
  const web = await testWeb();
  for (const path of ["/", "/open", "/pair", "/s/k7f3qd", "/?url=http://evil.example"]) {
    const answer = await fetch(`${web.base}${path}`);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const policy = answer.headers.get("content-security-policy")!.split("; ");
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'none'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy.join()).not.toMatch(/unsafe|\*|evil/);
    expect(await answer.text()).toContain("<!doctype html>");
  }
  const session = web.client.add("k7f3qd", {});
  session.user("<img src=x onerror=fetch('/hit')>");
  const answer = await (await Browser.signedIn(web)).get("/api/sessions/k7f3qd/messages");
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

it("serves files of the listing only, and those with a digest for ever", async () => {
  const web = await testWeb();
  const asset = await fetch(`${web.base}/assets/page-a1b2c3.js`, { headers: { "Accept-Encoding": "gzip" } });
  expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(asset.headers.get("content-encoding")).toBe("gzip");
  expect(await asset.text()).toContain('console.log("page")');
  for (const path of [
    "/assets/..%2findex.html",
    "/assets/%2e%2e%2f%2e%2e%2fweb.token",
    "/assets/none.js",
    "/favicon.svg",
  ]) {
    expect((await fetch(`${web.base}${path}`)).status, path).toBe(404);
  }
  for (const path of ["/assets/../../web.token", "/../web.token", "//etc/passwd", "/web.token"]) {
    const answer = await rawRequest(web.port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\n\r\n`);
    expect([400, 401, 404], path).toContain(answer.status);
  }
});

it("says how to build the page where it is not built, and takes a new build", async () => {
  const home = testHome();
  const folder = testPage(home);
  rmSync(join(folder, "index.html"));
  const web = await testWeb({ home, pageFolder: folder });
  const missing = await fetch(web.base);
  expect([missing.status, await missing.json()]).toEqual([
    503,
    { error: "the page is not built", next: "npm run build" },
  ]);
  writeFileSync(join(folder, "index.html"), "first");
  expect(await (await fetch(web.base)).text()).toBe("first");
  writeFileSync(join(folder, "index.html"), "second");
  utimesSync(join(folder, "index.html"), 1, 1);
  expect(await (await fetch(web.base)).text()).toBe("second");
});

it("gives the account of a session with its patches", async () => {
  const web = await testWeb({ temporalUi: () => "http://127.0.0.1:7612" });
  const session = web.client.add("k7f3qd", { title: "mend it" });
  const call = (id: string, name: string, args: Record<string, unknown>) => ({
    type: "toolCall" as const,
    id,
    name,
    arguments: args,
  });
  session.user("mend it");
  session.message(
    answerMessage("", {
      content: [
        call("a", "edit", { path: "a.ts" }),
        call("b", "edit", { path: "a.ts" }),
        call("c", "bash", { command: "npm test" }),
      ],
    }),
  );
  const edited = (id: string, diff: unknown) =>
    session.message(resultMessage("edit", "", { toolCallId: id, details: { diff, added: 2, removed: 1 } }));
  edited("a", "@@ -1 +1 @@\n-x\n+y\n");
  edited("b", ["-y", "+z"]);
  session.message(
    resultMessage("bash", "", { toolCallId: "c", isError: true, details: { exitCode: 1, durationMs: 5 } }),
  );
  session.message(answerMessage("Mended."));
  const view = await (await Browser.signedIn(web)).get("/api/sessions/k7f3qd");
  expect(await view.json()).toMatchObject({
    summary: { id: "k7f3qd", title: "mend it" },
    answer: "Mended.",
    files: [{ path: "a.ts", added: 4, removed: 2, patches: ["@@ -1 +1 @@\n-x\n+y\n", "-y\n+z"] }],
    commands: { run: 1, failed: [{ command: "npm test", exitCode: 1 }], lastTest: { command: "npm test" } },
    rules: [],
    temporalUi: "http://127.0.0.1:7612/namespaces/default/workflows/session-k7f3qd/run-of-k7f3qd/timeline",
  });
});
