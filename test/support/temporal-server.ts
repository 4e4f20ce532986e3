import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { searchAttributes } from "../../src/protocol/session.ts";
import { downloadCli } from "../../src/server/download-cli.ts";
import { findCli } from "../../src/server/find-cli.ts";
import { spawnStartDev } from "../../src/server/start-dev.ts";
import { ensureRetention, waitForTemporal } from "../../src/server/temporal-service.ts";

declare module "vitest" {
  interface ProvidedContext {
    temporalAddress: string;
    temporalCli: string;
  }
}

let stop: () => Promise<void> = async () => undefined;

/** One real dev server, started by the product's own code, for all tests that need one but do not stop it. */
export async function setup(project: TestProject): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tempi-test-server-"));
  const cache = join(tmpdir(), "tempi-test-cli");
  mkdirSync(cache, { recursive: true });
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const found = await findCli({ environment: process.env, cache, say });
  const path = found?.path ?? (await downloadCli({ environment: process.env, cache, say }));
  const [grpc, ui] = [await freePort(), await freePort()];
  const logDescriptor = openSync(join(folder, "server.log"), "w");
  const server = spawnStartDev({
    binary: path,
    databaseFile: join(folder, "temporal.db"),
    searchAttributes,
    grpc,
    ui,
    logDescriptor,
  });
  closeSync(logDescriptor);
  const address = `127.0.0.1:${grpc}`;
  const connection = await waitForTemporal(address, AbortSignal.timeout(30_000));
  await ensureRetention(connection, "default");
  await connection.close();
  project.provide("temporalAddress", address);
  project.provide("temporalCli", path);
  stop = async () => {
    await stopped(server);
    rmSync(folder, { recursive: true, force: true });
  };
}

export const teardown = (): Promise<void> => stop();

async function stopped(server: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await exited;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
