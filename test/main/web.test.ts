// The web page as the third process of a home: real supervisor, real Temporal server, the real page; only the worker is a stand-in.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, expect, test } from "vitest";
import { webFileOf, webTokenOf } from "../../src/config/home.ts";
import { checkMachine } from "../../src/main/doctor-checks.ts";
import { registerMachineCommands } from "../../src/main/machine-commands.ts";
import { personHere } from "../../src/main/session-settings.ts";
import { statusReport } from "../../src/main/status-command.ts";
import { isReady, readWebFile, webPortFileOf } from "../../src/main/up-state.ts";
import { writeJsonFile } from "../../src/server/json-file.ts";
import { isAlive, type ProcessIdentity, waitForExit } from "../../src/server/process-identity.ts";
import { addDevice } from "../../src/web/access/devices.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";
import { fakeWorker, stopAll, type TestHome, testHome } from "./homes.ts";

afterEach(stopAll, 40_000);

/** What a command printed: results and remarks apart. */
async function run(one: TestHome, words: string[], environment: NodeJS.ProcessEnv = {}) {
  const out: string[] = [];
  const said: string[] = [];
  const program = new Command("tempi").exitOverride();
  registerMachineCommands(program, {
    home: () => one.home,
    environment: { ...one.environment, ...environment },
    write: (text) => void out.push(text),
    say: (line) => void said.push(line),
    terminal: environment.TERM !== undefined,
    workerProgram: fakeWorker,
  });
  await program.parseAsync(words, { from: "user" });
  return { out: out.join(""), said: said.join("\n") };
}

const withPage = () => testHome(temporaryFolder("web"), { withWeb: true });
const pageReady = (one: TestHome, not?: number) =>
  one.until(({ web }) => web.state === "ready" && web.pid !== not && isAlive(web));
/** Who the page says that the holder of this home's token is. */
const askPage = async (one: TestHome, url = one.state().webUrl!) => {
  const response = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${webTokenOf(one.home)}` } });
  return ((await response.json()) as { name: string }).name;
};

test("up starts the page and names it, status and doctor know it, tempi web prints the link, down stops it", {
  timeout: 40_000,
}, async () => {
  const one = await withPage();
  const up = await run(one, ["up", "--detach", "--yes"]);
  const { web, webUrl } = one.state();
  expect(up.said).toContain(`page ${webUrl}`);
  expect(await askPage(one)).toBe(personHere());
  expect((await fetch(`${webUrl}/api/me`)).status).toBe(401);
  const report = JSON.parse((await run(one, ["status", "--json"])).out);
  expect(report.web).toEqual({ state: "ready", url: webUrl, pid: web.pid });
  const doctor = await checkMachine(one.context, await statusReport(one.context));
  expect(doctor.find(({ name }) => name === "web page")).toMatchObject({ ok: true, detail: `answers at ${webUrl}` });

  const link = await run(one, ["web"]);
  expect(link.out).toBe(`${webUrl}/open#${webTokenOf(one.home)}\n`);
  expect(link.said).toContain("opens on this machine only; tempi web --lan lets a phone in");
  expect(one.state().web.pid).toBe(web.pid);
  // The token stands in the link alone.
  const files = [webFileOf(one.home), join(one.home.run, "up.json"), join(one.home.logs, "web.log")];
  for (const file of files) expect(readFileSync(file, "utf8")).not.toContain(webTokenOf(one.home));

  const down = await run(one, ["down"]);
  expect(down.said).toMatch(/web page \(pid \d+\)/);
  expect(isAlive(web)).toBe(false);
  expect(existsSync(webFileOf(one.home))).toBe(false);
});

/** Opens the stream of the list; `ended` resolves when the other side ended it. */
async function openStream(one: TestHome): Promise<{ ended: Promise<unknown> }> {
  const { body } = await fetch(`${one.state().webUrl}/api/sessions/stream`, {
    headers: { authorization: `Bearer ${webTokenOf(one.home)}` },
  });
  const reader = body!.getReader();
  await reader.read();
  const toEnd = async () => {
    while (!(await reader.read()).done);
  };
  return { ended: toEnd().catch(() => undefined) };
}

test("the page outlives the Temporal server and the worker", { timeout: 40_000 }, async () => {
  const one = await withPage();
  await one.up();
  const { server, worker, web } = await pageReady(one);
  for (const { pid } of [server, worker]) process.kill(pid!, "SIGKILL");
  await one.until((now) => isReady(now) && now.server.pid !== server.pid && now.worker.pid !== worker.pid);
  const overview = async () => {
    const response = await fetch(`${one.state().webUrl}/api/sessions`, {
      headers: { authorization: `Bearer ${webTokenOf(one.home)}` },
    });
    return [response.status, ((await response.json()) as { offline?: string }).offline];
  };
  await expect.poll(overview, { timeout: 15_000 }).toEqual([200, undefined]);
  expect(one.state().web.pid).toBe(web.pid);
});

test("kill -9 of the page: it comes back on its port; of the supervisor: the next one replaces it there", {
  timeout: 60_000,
}, async () => {
  const one = await withPage();
  await one.up();
  const first = await pageReady(one);
  process.kill(first.web.pid!, "SIGKILL");
  const between = await pageReady(one, first.web.pid);
  // A stream that somebody reads does not keep it from ending, nor the next one from the port.
  const stream = await openStream(one);
  const asked = performance.now();
  process.kill(between.web.pid!, "SIGTERM");
  expect(await waitForExit(between.web as ProcessIdentity, 5_000)).toBe(true);
  expect(performance.now() - asked).toBeLessThan(2_000);
  await stream.ended;
  const second = await pageReady(one, between.web.pid);
  expect(second.webUrl).toBe(first.webUrl);
  expect(second.web.restarts).toBe(2);
  expect(await askPage(one)).toBe(personHere());

  process.kill(second.pid, "SIGKILL");
  await waitForExit(second, 5_000);
  expect((await statusReport(one.context)).web).toMatchObject({ state: "unwatched", url: first.webUrl });
  await one.up();
  const third = await pageReady(one, second.web.pid);
  expect(isAlive(second.web)).toBe(false);
  expect(third.webUrl).toBe(first.webUrl);
});

test("a page that cannot start is given up: sessions go on, status says so; tempi web begins anew", {
  timeout: 40_000,
}, async () => {
  const one = await withPage();
  await one.up();
  await pageReady(one);
  const { worker, web } = one.state();
  writeFileSync(one.home.configFile, "[web]\nport = 1\n");
  process.kill(web.pid!, "SIGKILL");
  await one.until((state) => state.web.state === "failed");
  expect(await one.up()).toMatchObject({ startedNow: false });
  expect(one.state().worker).toEqual(worker);
  const told = (await run(one, ["status"])).out;
  expect(told).toMatch(/web +failed/);
  expect(told).toMatch(/last error: .*config\.toml:2: web\.port/);
  expect(told).toContain("Next: tempi logs web, then tempi web");
  await expect(run(one, ["web"])).rejects.toThrow(/the web page died 3 times .*web\.port/);
  rmSync(one.home.configFile);
  expect((await run(one, ["web"])).out).toContain("/open#");
});

test("a page that is off starts when it is asked for, on the next port where another program has its own; --lan pairs, --no-lan ends it", {
  timeout: 60_000,
}, async () => {
  const one = await testHome();
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  writeJsonFile(webPortFileOf(one.home), { port });
  await one.up();
  const off = await one.until(({ web }) => web.state === "stopped");
  expect((await statusReport(one.context)).web).toMatchObject({ state: "stopped", url: null });

  const link = await run(one, ["web"]);
  expect(link.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open#\S+\n$/);
  expect(link.out).not.toContain(`:${port}/`);
  expect(link.said).toContain(`port ${port} of the web page is taken by another program; this time it is `);
  expect(one.state().worker.pid).toBe(off.worker.pid);
  taken.close();

  // Stands for an address in a local network: loopback has more than one.
  const open = await run(one, ["web", "--lan", "127.0.0.2"]);
  expect(open.said).not.toContain("█");
  const again = await run(one, ["web", "--lan"], { TERM: "xterm" });
  // A picture has a white rim all around, drawn in white.
  expect(again.said).toMatch(/\n\u001b\[97;40m█+\u001b\[0m\n/);
  expect(again.out).toContain("//127.0.0.2:");
  const page = readWebFile(one.home)!;
  expect(page.lan).toBe("127.0.0.2");
  expect(open.out).toMatch(new RegExp(`^http://127\\.0\\.0\\.2:${page.port}/pair#[a-z2-9]{14}\\n$`));
  expect(open.said).toMatch(/valid once, for 5 minutes[\s\S]*plain HTTP/);
  for (const host of ["127.0.0.1", "127.0.0.2"]) {
    expect(await askPage(one, `http://${host}:${page.port}`)).toBe(personHere());
  }

  const proxied = await run(one, ["web", "--lan", "127.0.0.2", "--public-url", "https://tempi.example"]);
  expect(proxied.out).toMatch(/^https:\/\/tempi\.example\/pair#\S+\n$/);
  expect(proxied.said).not.toContain("plain HTTP");
  expect(readWebFile(one.home)).toMatchObject({ publicUrl: "https://tempi.example", lan: "127.0.0.2" });

  await run(one, ["web", "--no-lan", "--public-url", "off"]);
  const alone = readWebFile(one.home)!;
  expect([alone.lan, alone.publicUrl]).toEqual([undefined, undefined]);
  await expect(fetch(`http://127.0.0.2:${alone.port}/`)).rejects.toThrow();
});

test("devices are listed and shut out; an address that is not of this machine, a path in a proxy's address, a session's own command are refused (A12)", async () => {
  const one = await testHome();
  expect((await run(one, ["web", "devices"])).said).toMatch(/^no device yet/);
  const { device } = addDevice(one.home, { name: "Firefox on Android", kind: "paired" });
  const list = (await run(one, ["web", "devices"])).out;
  expect(list).toMatch(new RegExp(`^${device.id} +Firefox on Android +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d `, "m"));
  expect((await run(one, ["web", "devices", "--revoke", device.id])).said).toBe(`device ${device.id} is shut out`);
  expect((await run(one, ["web", "devices"])).out).toBe("");
  await expect(run(one, ["web", "devices", "--revoke", device.id])).rejects.toMatchObject({
    next: "tempi web devices",
  });

  await expect(run(one, ["web", "--lan", "198.51.100.7"])).rejects.toThrow(/no IPv4 address of this machine/);
  await expect(run(one, ["web", "--public-url", "https://x.example/path"])).rejects.toMatchObject({ exitCode: 2 });
  for (const words of [["web"], ["web", "--lan"], ["web", "devices"]]) {
    await expect(run(one, words, { TEMPI_SESSION: "abcdef" })).rejects.toMatchObject({
      exitCode: 2,
      message: "web is refused inside a session's own commands.",
    });
  }
  expect(existsSync(join(one.home.run, "up.json"))).toBe(false);
});
