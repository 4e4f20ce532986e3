import { renderUnicodeCompact } from "uqr";
import { UserError } from "../config/errors.ts";
import { type Home, type WebFile, webTokenOf } from "../config/home.ts";
import { loadConfig } from "../config/load.ts";
import { makePairingCode } from "../web/access/pairing.ts";
import { askSupervisor } from "./control-socket.ts";
import { chooseLanAddress } from "./lan-address.ts";
import type { MachineContext } from "./machine-commands.ts";
import { buildPage, pageIsBuilt } from "./page-folder.ts";
import { untilChanged } from "./until-changed.ts";
import { ensureUp } from "./up.ts";
import { readUp, readWebFile, type UpState, webIsReady } from "./up-state.ts";
import type { WebReach } from "./web-child.ts";

/** Milliseconds after which the page counts as not started. */
const readyMs = 30_000;

export interface WebFlags {
  /** An address, `true` = the only one there is, `false` = this machine alone. */
  lan?: string | boolean;
  publicUrl?: string;
}

/** `tempi web`: prints the link that opens the page here, or with `--lan` or `--public-url` the one that pairs another device. */
export async function webCommand(context: MachineContext, flags: WebFlags): Promise<void> {
  refuseInsideSession(context);
  const reach = reachOf(flags, context.home);
  await ensureUp({
    home: context.home,
    onMessage: context.say,
    environment: context.environment,
    yes: false,
    needWorker: false,
    ...(context.workerProgram === undefined ? {} : { workerProgram: context.workerProgram }),
  });
  const page = await readyPage(context.home, reach);
  const note = readUp(context.home)?.webNote;
  if (note !== undefined) context.say(note);
  if (typeof reach.lan === "string" && page.lan !== reach.lan) {
    throw new UserError(`the page does not listen on ${reach.lan}`, { next: "tempi logs web" });
  }
  if (!pageIsBuilt()) context.say(`the page is not built. Next: ${buildPage}`);
  if (typeof reach.lan === "string" || typeof reach.publicUrl === "string") printPairing(context, page);
  else {
    context.write(`${page.url}/open#${webTokenOf(context.home)}\n`);
    context.say(
      page.lan === undefined && page.publicUrl === undefined
        ? "opens on this machine only; tempi web --lan lets a phone in"
        : "opens on this machine; tempi web --lan pairs another device, tempi web --no-lan shuts the others out",
    );
  }
}

/** Like those commands of the session that start, approve or change sessions: it stops accidents and is no boundary. */
export function refuseInsideSession({ environment }: Pick<MachineContext, "environment">): void {
  if (!environment.TEMPI_SESSION) return;
  throw new UserError("web is refused inside a session's own commands.", {
    exitCode: 2,
    next: "run it from your own shell",
  });
}

function reachOf({ lan, publicUrl }: WebFlags, home: Home): WebReach {
  // Without a name it is the one that was named before, now or in the configuration.
  const named = () => readWebFile(home)?.lan ?? loadConfig(home).values.web?.lan;
  return {
    ...(lan === undefined ? {} : { lan: lan === false ? null : chooseLanAddress(lan === true ? named() : lan) }),
    ...(publicUrl === undefined ? {} : { publicUrl: publicAddress(publicUrl) }),
  };
}

/** Origin of a proxy; null for "off", which takes back what was given before. */
function publicAddress(text: string): string | null {
  if (text === "off") return null;
  const url = URL.parse(text);
  if (url?.protocol === "https:" && url.pathname === "/" && !url.search && !url.hash && !url.username)
    return url.origin;
  throw new UserError(`--public-url must be https://HOST without a path, not ${JSON.stringify(text)}`, {
    exitCode: 2,
    next: "tempi web --public-url https://HOST",
  });
}

/** Starts the page where it does not run as it is wanted, and waits until it answers. */
async function readyPage(home: Home, reach: WebReach): Promise<WebFile> {
  const state = readUp(home);
  if (!state) throw new UserError("what was started has ended again", { next: "tempi logs up" });
  // Asked for by name, it is to stay as long as the person wants.
  await askSupervisor(state, { cmd: "keep" });
  const changes = reachesOtherwise(readWebFile(home), reach);
  const before = changes ? (state.web.pid ?? 0) : undefined;
  // Also while it is said to be starting: where the configuration wants no page, nobody else will start it.
  if (changes || !webIsReady(state)) {
    const how = changes ? reach : { ifNeeded: true };
    const answer = await askSupervisor(state, { cmd: "restart-web", ...how }, 20_000);
    if (!answer.ok) throw new UserError("error" in answer ? answer.error : "busy", { next: "tempi restart" });
  }
  const timeout = AbortSignal.timeout(readyMs);
  try {
    return await untilChanged(home.run, timeout, () => {
      const now = readUp(home);
      if (now?.web.state === "failed") throw givenUp(now);
      if (!now || !webIsReady(now) || now.web.pid === before) return undefined;
      const page = readWebFile(home);
      return page?.pid === now.web.pid ? page : undefined;
    });
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new UserError(`the web page was not ready after ${readyMs / 1000} s`, { next: "tempi logs web" });
  }
}

/** Whether it is to be reached in another way than now: a new start cuts streams, so it is made only then. */
function reachesOtherwise(page: WebFile | undefined, { lan, publicUrl }: WebReach): boolean {
  if (lan === undefined && publicUrl === undefined) return false;
  const same = (wanted: string | null | undefined, has: string | undefined) =>
    wanted === undefined || (wanted ?? undefined) === has;
  return !page || !same(lan, page.lan) || !same(publicUrl, page.publicUrl);
}

const givenUp = ({ web }: UpState): UserError =>
  new UserError(
    `the web page died 3 times and is not started again${web.lastError === undefined ? "" : `: ${web.lastError}`}`,
    { next: "tempi logs web, then tempi web" },
  );

function printPairing(context: MachineContext, page: WebFile): void {
  const base = page.publicUrl ?? `http://${page.lan}:${page.port}`;
  const link = `${base}/pair#${makePairingCode(context.home).code}`;
  if (context.terminal) context.say(`\n${codePicture(link)}\n`);
  context.write(`${link}\n`);
  context.say("valid once, for 5 minutes; tempi web devices lists who was let in");
  const { web } = loadConfig(context.home).values;
  const key = page.publicUrl === undefined ? `lan = "${page.lan}"` : `public_url = "${page.publicUrl}"`;
  if (web?.lan === undefined && web?.public_url === undefined) {
    context.say(`holds until tempi down; for good: [web] ${key} in ${context.home.configFile}`);
  }
  if (page.publicUrl !== undefined) return;
  context.say(
    "plain HTTP: whoever is in this network can read along. With a proxy that speaks TLS: tempi web --public-url https://HOST",
  );
}

/**
 * Black on white whatever the terminal's colours are: not every camera reads it the other way round. Its blocks are the white part.
 */
const codePicture = (link: string): string =>
  renderUnicodeCompact(link, { border: 2 })
    .split("\n")
    .map((row) => `\u001b[97;40m${row}\u001b[0m`)
    .join("\n");
