// Locks, identities and ports: real processes and sockets, no Temporal server.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readJsonFile } from "../../src/server/json-file.ts";
import { tryLock } from "../../src/server/lock.ts";
import { choosePorts, isFree } from "../../src/server/ports.ts";
import { endProcess, identityOf, isAlive, signalProcess } from "../../src/server/process-identity.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

const children: ChildProcess[] = [];
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const cleanup of cleanups.splice(0)) cleanup();
});
const folder = () => temporaryFolder("lock");

async function sleeper(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  return child as ChildProcess & { pid: number };
}

test("a pid that was reused is not taken for the same process", async () => {
  const child = await sleeper();
  const identity = identityOf(child.pid)!;
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, start: `${identity.start}0` })).toBe(false);
  expect(signalProcess({ ...identity, start: "other" }, "SIGKILL")).toBe(false);
  await endProcess(identity, 5_000);
  expect(isAlive(identity)).toBe(false);
  expect(isAlive(undefined)).toBe(false);
});

test("one holder at a time; released and dead holders' locks are free", async () => {
  const path = join(folder(), "a.lock");
  const first = tryLock(path);
  expect("release" in first).toBe(true);
  expect(tryLock(path)).toEqual({ holder: identityOf(process.pid) });
  if ("release" in first) first.release();

  const child = await sleeper();
  writeFileSync(path, JSON.stringify(identityOf(child.pid)));
  expect(tryLock(path)).toEqual({ holder: identityOf(child.pid) });
  child.kill("SIGKILL");
  await once(child, "exit");
  const taken = tryLock(path);
  expect("release" in taken).toBe(true);
  if ("release" in taken) taken.release();
});

test("of many that take over a dead holder's lock at once, one gets it", async () => {
  const path = join(folder(), "a.lock");
  writeFileSync(path, JSON.stringify({ pid: 1, start: "long ago" }));
  const program = join(import.meta.dirname, "take-lock.ts");
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, [program, path], { stdio: ["pipe", "pipe", "inherit"] });
      children.push(child);
      const [chunk] = await once(child.stdout!, "data");
      return String(chunk).trim();
    }),
  );
  expect(outputs.sort()).toEqual(["held", "held", "held", "taken"]);
  expect(readdirSync(join(path, ".."))).toEqual(["a.lock"]);
});

test("ports are kept; a taken one is replaced this time only, and said", async () => {
  const file = join(folder(), "server.json");
  const first = await choosePorts(file, { grpc: 41_633, ui: 41_612 });
  expect(first.notes).toEqual([]);
  first.release();

  const other = createServer().listen(first.ui, "127.0.0.1");
  cleanups.push(() => other.close());
  await once(other, "listening");
  expect(await isFree(first.ui)).toBe(false);
  const second = await choosePorts(file);
  expect(second.grpc).toBe(first.grpc);
  expect(second.ui).toBeGreaterThan(first.ui);
  expect(second.notes).toEqual([
    `port ${first.ui} of the Temporal UI is taken by another program; this time it is ${second.ui}`,
  ]);
  second.release();

  other.close();
  await once(other, "close");
  const third = await choosePorts(file);
  expect({ grpc: third.grpc, ui: third.ui }).toEqual({ grpc: first.grpc, ui: first.ui });
  third.release();
  expect(readJsonFile(file)).toEqual({ grpc: first.grpc, ui: first.ui });
});

test("two homes that choose at once get different ports before anything listens", async () => {
  const first = { grpc: 42_633, ui: 42_612 };
  const chosen = await Promise.all([1, 2].map(() => choosePorts(join(folder(), "server.json"), first)));
  expect(new Set(chosen.flatMap(({ grpc, ui }) => [grpc, ui])).size).toBe(4);
  for (const ports of chosen) ports.release();
});
