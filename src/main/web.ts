import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectSessionClient } from "../client/connect.ts";
import { homeOf, prepareHome, type WebFile, webFileOf } from "../config/home.ts";
import { addRememberedRule } from "../config/rules.ts";
import { writeJsonFile } from "../server/json-file.ts";
import { resolveAddress } from "../server/resolve-address.ts";
import { startWebServer } from "../web/server/start.ts";
import { isOwnAddress } from "./lan-address.ts";
import { pageFolder } from "./page-folder.ts";
import { newSessionOptions, startFromPage } from "./page-sessions.ts";
import { personHere } from "./session-settings.ts";
import { readUp } from "./up-state.ts";
import { version } from "./version.ts";

/**
 * The web process: `node web.ts --address HOST:PORT --namespace NAME --port N [--lan ADDRESS] [--public-url URL]`. What it prints is
 * kept as its log by the supervisor. Ends at SIGTERM and SIGINT within 2 s.
 */
const { values } = parseArgs({
  options: {
    address: { type: "string" },
    namespace: { type: "string", default: "default" },
    port: { type: "string" },
    lan: { type: "string" },
    "public-url": { type: "string" },
  },
});
const { address, namespace, port: wantedPort, "public-url": publicUrl } = values;
if (!address || !wantedPort) {
  console.error("tempi web page: --address or --port is missing. Next: tempi web");
  process.exit(2);
}
const endMs = 1_500;
const log = (line: string): void => console.error(`${new Date().toISOString()} ${line}`);
const home = homeOf();
prepareHome(home);

let end: () => Promise<void> = async () => undefined;
let ending = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    rmSync(webFileOf(home), { force: true });
    // A connection that does not close must not keep the next process from the port.
    setTimeout(() => process.exit(), endMs);
    void end().finally(() => process.exit());
  });
}

// The supervisor names the profile that named the server; TLS and credentials are read here, never passed on.
const profile = process.env.TEMPI_TEMPORAL_PROFILE;
const target = profile ? resolveAddress({ profile, environment: process.env }) : undefined;
const connection = target?.kind === "named" ? { connection: target.connection } : {};
const client = await patiently(() => connectSessionClient({ home, address, namespace, ...connection }));

/** A notebook leaves the office: the page goes on for this machine. */
const lan = values.lan !== undefined && isOwnAddress(values.lan) ? values.lan : undefined;
if (values.lan !== undefined && lan === undefined) {
  log(`${values.lan} is no address of this machine now: the page is open to this machine alone`);
}
const server = await startWebServer({
  home,
  client,
  pageFolder,
  port: Number(wantedPort),
  ...(lan === undefined ? {} : { lan }),
  ...(publicUrl === undefined ? {} : { publicUrl }),
  version,
  person: personHere(),
  // Read anew: the server may have moved to another port.
  temporalUi: () => readUp(home)?.uiUrl ?? undefined,
  startSession: (request) => startFromPage(client, home, request),
  newSessionOptions: () => newSessionOptions(client, home),
  addProjectRule: async (rule) => void addRememberedRule(home, rule),
  log,
});
end = async () => {
  await server.close();
  await client.close();
};
const file: WebFile = {
  pid: process.pid,
  startedAt: Date.now(),
  version,
  port: server.port,
  url: `http://127.0.0.1:${server.port}`,
  ...(lan === undefined ? {} : { lan }),
  ...(publicUrl === undefined ? {} : { publicUrl }),
};
if (!ending) writeJsonFile(webFileOf(home), file);

/** Tries until the server answers: it may still be starting. The supervisor ends this process when it is not wanted any more. */
async function patiently<T>(connect: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      log(`the Temporal server does not answer yet: ${(error as Error).message}`);
      await sleep(500);
    }
  }
}
