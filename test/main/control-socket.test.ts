import { once } from "node:events";
import { createConnection } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { homeOf, prepareHome } from "../../src/config/home.ts";
import { askSupervisor, chooseSocketPath, serveControl } from "../../src/main/control-socket.ts";
import type { UpState } from "../../src/main/up-state.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

async function served() {
  const home = homeOf({ TEMPI_HOME: temporaryFolder("control") });
  prepareHome(home);
  const path = chooseSocketPath(home);
  const asked = Promise.withResolvers<void>();
  const control = await serveControl(path, home, async () => {
    asked.resolve();
    return { ok: true };
  });
  onTestFinished(control.close);
  return { path, asked: asked.promise, state: { pid: 1, socket: path } as UpState };
}

// In both tests an error that escapes fails the run.
it("a supervisor that is gone is said in words", async () => {
  const { state } = await served();
  const gone = { ...state, socket: `${state.socket}-gone` };
  await expect(askSupervisor(gone, { cmd: "status" })).rejects.toThrow(/cannot be reached/);
});

it("lives on when whoever asked was killed before the answer", async () => {
  const { path, asked, state } = await served();
  for (let time = 0; time < 20; time++) {
    const socket = createConnection(path);
    await once(socket, "connect");
    socket.pause();
    socket.write('{"cmd":"status"}\n'.repeat(50));
    await asked;
    socket.destroy();
  }
  expect(await askSupervisor(state, { cmd: "status" })).toEqual({ ok: true });
});
