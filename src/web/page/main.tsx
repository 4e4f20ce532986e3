import { render } from "preact";
import { signedIn } from "./state/api.ts";
import { startClock } from "./state/clock.ts";
import { enter } from "./state/enter.ts";
import { startKeys } from "./state/keys.ts";
import { startOverview } from "./state/overview.ts";
import { startRouter } from "./state/router.ts";
import { startSessions } from "./state/sessions.ts";
import { startTitle } from "./state/title.ts";
import { App } from "./views/app.tsx";

async function start(): Promise<void> {
  startClock();
  render(<App />, document.getElementById("page")!);
  await enter();
  startRouter();
  if (signedIn.value !== true) return;
  startOverview();
  startSessions();
  startTitle();
  startKeys();
}

void start();
