import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { followSession } from "../../cli/follow/follow-session.ts";
import { PlainPresenter } from "../../cli/follow/plain-presenter.ts";
import { TerminalPresenter } from "../../cli/follow/terminal-presenter.ts";
import { newSessionId } from "../../cli/ids.ts";
import type { CliServices } from "../../cli/services.ts";
import { UserError } from "../../config/errors.ts";
import { type Home, homeOf, prepareHome } from "../../config/home.ts";
import { writeProject } from "./project.ts";
import { toolResultTexts } from "./results.ts";
import { type DemoFacts, watchDemo } from "./watch.ts";

/** What the demo needs: how to talk to a home, and how to stop what runs there. */
export interface DemoParts {
  servicesOf: (home: Home) => CliServices;
  stop: (home: Home) => Promise<void>;
}

/**
 * A small failing project, a scripted model, everything else real: one approval, a worker killed with SIGKILL in the middle
 * of the test run, and the test passing. In a home of its own under the temporary folder, removed at the end.
 * Throws UserError when something did not go as it should.
 */
export async function runDemo({ servicesOf, stop }: DemoParts): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tempi-demo-")));
  // Its own in everything but the downloaded Temporal CLI, which need not be fetched for each tour.
  const home = { ...homeOf({ ...process.env, TEMPI_HOME: join(folder, "home") }), cache: homeOf().cache };
  prepareHome(home);
  // The tour does not open the page, and a process less is a tour that starts sooner.
  writeFileSync(home.configFile, '[web]\nstart = "off"\n');
  const services = servicesOf(home);
  const terminal = Boolean(services.stdin.isTTY && services.stdout.isTTY);
  const say = (line: string) =>
    services.stdout.write(`${styleText("cyan", `demo │ ${line}`, { stream: process.stdout })}\n`);
  const cleanUp = async () => {
    await stop(home);
    rmSync(folder, { recursive: true, force: true });
  };
  // A closed terminal ends the tour; what it started must not stay behind.
  process.once("SIGHUP", () => void cleanUp().finally(() => process.exit(129)));
  try {
    const project = join(folder, "project");
    const script = join(folder, "model.json");
    writeProject(project, script);
    say(`a project whose test fails, in ${project}:`);
    say((await failingTest(project)).trim().split("\n").at(-1) ?? "");
    say("a real server and a real worker; only the model is a script");
    const client = await services.connect({ yes: true });
    try {
      const facts = await runSession({ services, client, home, project, script, terminal, say });
      await check(client, facts, project);
      say("the worker was killed while the test ran; the test was started once, the edit was made once, and it passes");
      if (terminal) await stayUp(client.uiUrl, facts.sessionId, home, say);
    } finally {
      await client.close();
    }
  } finally {
    await cleanUp();
  }
}

interface DemoRun {
  services: CliServices;
  client: Awaited<ReturnType<CliServices["connect"]>>;
  home: Home;
  project: string;
  script: string;
  terminal: boolean;
  say: (line: string) => void;
}

async function runSession(run: DemoRun): Promise<DemoFacts & { sessionId: string }> {
  const { services, client, home, project, script, terminal, say } = run;
  const sessionId = newSessionId();
  const settings = await services.settings({ model: `scripted:${script}`, approval: "edits" }, project);
  const prompt = "The test of this project fails. Find out why and mend it.";
  const environment = await services.commandEnvironment();
  await client.start(
    { v: 1, sessionId, title: prompt, cwd: project, repository: "demo", environment, settings, closeAfterMs: 600_000 },
    { id: randomUUID(), text: prompt },
  );
  if (terminal) say("the session asks you once: y allows, n denies");
  const over = new AbortController();
  let shown: TerminalPresenter | undefined;
  // On a terminal the follower repaints its last lines: what stands between them must go through it.
  const sayMeanwhile = (line: string) => (shown ? shown.say(`demo │ ${line}`) : say(line));
  const watching = watchDemo({ client, home, sessionId, answer: !terminal, say: sayMeanwhile, signal: over.signal });
  await followSession(client, services, {
    sessionId,
    onAsk: "ask",
    since: { event: 0 },
    presenter: (tracker) => {
      if (!terminal) return new PlainPresenter(tracker, { ...services, stderr: services.stdout }, sessionId);
      shown = new TerminalPresenter(tracker, services, { sessionId, notify: false });
      return shown;
    },
  });
  over.abort();
  return { ...(await watching), sessionId };
}

/** The claims of the demo, checked on the real files and the recorded results. */
async function check(
  client: DemoRun["client"],
  facts: DemoFacts & { sessionId: string },
  project: string,
): Promise<void> {
  const wrong = (what: string) => new UserError(`the demo did not go as it should: ${what}`, { next: "tempi doctor" });
  const starts = readFileSync(join(project, "starts.log"), "utf8").trim().split("\n").length;
  const results = toolResultTexts((await client.account(facts.sessionId)).messages);
  if (facts.approvals !== 1) throw wrong(`it asked ${facts.approvals} times`);
  if (facts.killedWorker === undefined) throw wrong("the test run ended before the worker could be killed");
  // One start is the demo's own, which shows the failing test.
  if (starts !== 2) throw wrong(`the test was started ${starts - 1} times by the session`);
  if (!results.some((text) => text.includes("all checks passed"))) throw wrong("the session's test run did not pass");
}

async function failingTest(project: string): Promise<string> {
  return await new Promise((resolve) => {
    execFile("npm", ["test"], { cwd: project }, (_error, stdout) => resolve(stdout));
  });
}

async function stayUp(
  uiUrl: string | undefined,
  sessionId: string,
  home: Home,
  say: (line: string) => void,
): Promise<void> {
  if (uiUrl) say(`the session in the Temporal UI: ${uiUrl}/namespaces/default/workflows/session-${sessionId}`);
  say(`the account of it: TEMPI_HOME=${home.root} tempi show ${sessionId}`);
  const input = createInterface({ input: process.stdin, output: process.stdout });
  await input.question("demo │ Enter stops everything and removes it. ");
  input.close();
}
