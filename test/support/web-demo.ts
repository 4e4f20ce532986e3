/**
 * The web server over made-up sessions, to look at the page: `node test/support/web-demo.ts [pageFolder] [port]`. No Temporal, no model,
 * nothing is run. `DEMO_PUBLIC_URL=http://127.0.0.1:5173` also lets a development server in front of it in.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeOf, prepareHome, webTokenOf } from "../../src/config/home.ts";
import { startWebServer } from "../../src/web/server/start.ts";
import { DemoClient } from "./demo-client.ts";
import { fillDemo } from "./demo-sessions.ts";

const [pageFolder = "dist/page", port = "0"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tempi-web-demo-"));
const home = homeOf({ TEMPI_HOME: folder });
prepareHome(home);
const client = new DemoClient();
const stop = fillDemo(client);
const publicUrl = process.env.DEMO_PUBLIC_URL;
const server = await startWebServer({
  home,
  client,
  pageFolder,
  port: Number(port),
  ...(publicUrl === undefined ? {} : { publicUrl }),
  version: "demo",
  person: "demo@here",
  temporalUi: () => undefined,
  startSession: async ({ prompt, cwd, id = "n7p8q9" }) => {
    const session = client.add(id, { title: prompt, cwd, startedAt: Date.now() });
    client.changed();
    session.user(prompt);
    void client.answer(session, "A made-up answer to a session that was started on the page.");
    return { sessionId: id };
  },
  newSessionOptions: async () => ({ folders: [{ cwd: "/home/demo", repository: "demo" }], model: "scripted/demo" }),
  addProjectRule: async () => undefined,
  log: (line) => console.error(line),
});
console.log(`http://127.0.0.1:${server.port}/open#${webTokenOf(home)}`);
process.once("SIGINT", () => {
  stop();
  rmSync(folder, { recursive: true, force: true });
  void server.close().then(() => process.exit());
});
