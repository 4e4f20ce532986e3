import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { expect, it } from "vitest";
import { workflowIdOf } from "../../src/protocol/session.ts";
import { bashAnswer, Cli } from "../support/cli.ts";

/** Pid of the command (its process group) of the only call in a home. */
function commandPid(cli: Cli): number {
  const calls = join(cli.home, "calls");
  const file = readdirSync(calls, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("/pid"));
  return Number.parseInt(readFileSync(join(calls, file!), "utf8"), 10);
}

it("goes on with a command whose worker was killed: one start, the whole output, and the session ends by itself", {
  timeout: 60_000,
}, async () => {
  const cli = new Cli();
  const model = cli.script([bashAnswer("echo be''gin; sleep 3; echo x >> log; echo done"), { text: "finished" }]);
  const run = cli.start("run", "--approval", "auto", "--model", model, "--json", "go");
  await run.says("begin");
  process.kill((await cli.status()).worker.pid, "SIGKILL");
  const { code, stdout } = await run.done;
  expect(code).toBe(0);
  expect(cli.read("log")).toBe("x\n");
  const result = Cli.events(stdout).find(({ type, role }) => type === "message_end" && role === "toolResult");
  expect(JSON.stringify(result)).toMatch(/begin\\ndone/);
  expect(Cli.events(stdout).at(-1)).toMatchObject({ type: "session_result", state: "idle", answer: "finished" });
});

it("says that a command may have run when it died with its worker, and never starts it again", {
  timeout: 60_000,
}, async () => {
  const cli = new Cli();
  const model = cli.script([
    bashAnswer("echo started >> log; echo be''gin; sleep 60; echo finished >> log"),
    { text: "I see" },
  ]);
  const run = cli.start("run", "--approval", "auto", "--model", model, "--json", "go");
  await run.says("begin");
  const { worker } = await cli.status();
  const group = commandPid(cli);
  process.kill(worker.pid, "SIGKILL");
  process.kill(-group, "SIGKILL");
  const { code, stdout } = await run.done;
  expect(code).toBe(0);
  const result = Cli.events(stdout).find(({ type, role }) => type === "message_end" && role === "toolResult");
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toMatch(/interrupted, may have run/i);
  expect(cli.read("log")).toBe("started\n");
});

it("keeps a pending approval through the death of everything; it runs once, and raw signals change nothing", {
  timeout: 90_000,
}, async () => {
  const cli = new Cli();
  const model = cli.script([bashAnswer("echo x >> log"), { text: "finished" }]);
  const parked = await cli.run("run", "--model", model, "go");
  expect(parked.code).toBe(3);
  expect(parked.stderr).toMatch(/tempi approve/);
  const [session] = await cli.json<{ id: string; state: string }[]>("list");
  expect(session).toMatchObject({ state: "waiting" });
  const { server, worker, supervisor } = await cli.status();
  for (const pid of [supervisor.pid, worker.pid, server.pid]) process.kill(pid, "SIGKILL");
  expect((await cli.run("up", "--detach")).code).toBe(0);
  const { address } = (await cli.status()).server;
  const client = new Client({ connection: await Connection.connect({ address }) });
  const handle = client.workflow.getHandle(workflowIdOf(session!.id));
  const state = await handle.query<{ pending: { id: string }[] }>("state");
  await handle.signal("decide", {
    id: "raw",
    approvalId: state.pending[0]!.id,
    decision: "allow",
    by: "nobody",
    proof: "",
  });
  expect((await cli.json<{ state: string }[]>("list"))[0]).toMatchObject({ state: "waiting" });
  await client.connection.close();
  expect(await cli.run("approve", session!.id)).toMatchObject({ code: 0 });
  expect(await cli.run("attach", session!.id)).toMatchObject({ code: 0 });
  expect(cli.read("log")).toBe("x\n");
  expect(await cli.run("approve", session!.id)).toMatchObject({ code: 1 });
  expect(cli.read("log")).toBe("x\n");
});
