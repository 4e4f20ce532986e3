// Which session a word means: ids, prefixes, `last`, the number in the overview.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { fakeServices } from "../support/fake-cli-services.ts";
import { FakeSessionClient, testSummary } from "../support/fake-session-client.ts";

/** A repository with a folder in it, another one, and sessions in both. */
function set(options: { terminal?: boolean; from?: "folder" | "elsewhere" } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tempi-which-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of ["one/.git", "one/folder", "two/.git", "elsewhere"])
    mkdirSync(join(root, path), { recursive: true });
  const client = new FakeSessionClient();
  const at = (cwd: string, id: string, startedAt: number, repository: string) =>
    testSummary({ id, cwd: join(root, cwd), startedAt, repository, state: "idle" });
  client.sessions = [
    at("two", "k7f3qd", 9, "two"),
    at("one", "aaaaaa", 1, "one"),
    at("one/folder", "bbbbbb", 3, "one"),
    at("one", "cccccc", 2, "one"),
  ];
  const cwd = join(root, options.from === "elsewhere" ? "elsewhere" : "one/folder");
  const services = fakeServices(client, { cwd, ...(options.terminal ? { terminal: true } : {}) });
  const run = (...args: string[]) => runProgram(args, { services, version: "1.2.3", registerMachine: () => {} });
  return { client, services, run, root };
}

describe("last", () => {
  it("is the newest session of the repository, from any of its folders, and no other repository's", async () => {
    const { client, run } = set();
    expect(await run("set", "last", "--title", "x")).toBe(0);
    expect(client.calls("configure")).toMatchObject([["configure", "bbbbbb", { title: "x" }]]);
  });

  it("is nobody's where the repository has none: the error names those elsewhere", async () => {
    const { client, services, run } = set({ from: "elsewhere" });
    expect(await run("set", "last", "--title", "x")).toBe(1);
    expect(services.stderr.text).toContain(
      "there is no session of this repository; elsewhere: k7f3qd (two), bbbbbb (one), cccccc (one), aaaaaa (one).",
    );
    expect(client.calls("configure")).toEqual([]);
  });

  it("is what run -c goes on with, from the folder that --cwd names", async () => {
    const { client, run } = set({ from: "elsewhere" });
    expect(await run("run", "-c", "more", "--cwd", "../two", "--detach")).toBe(0);
    expect(client.calls("send")).toMatchObject([["send", "k7f3qd", { text: "more" }]]);
  });

  it("does not go with what only a start takes: refused by name, nothing is sent", async () => {
    const { client, services, run } = set();
    expect(await run("run", "-c", "more", "--once", "--budget", "5")).toBe(2);
    expect(services.stderr.text).toBe(
      "tempi: --once and --budget count when a session starts; -c goes on with one. Next: the same command without them, or without -c\n",
    );
    expect(client.asked).toEqual([]);
  });
});

describe("the overview", () => {
  it("takes a number for a session, and one that none has is no task", async () => {
    const { client, services, run } = set({ terminal: true });
    const done = run();
    await services.stdout.shown("number to attach");
    services.stdin.type("7\n");
    expect(await done).toBe(2);
    expect(services.stderr.text).toContain(
      'the sessions go from 1 to 4; not 7. Next: tempi, or for a task that is a number: tempi run "7"',
    );
    expect(client.calls("start")).toEqual([]);
  });

  it("shows this repository first in each group, newest first, each with its command", async () => {
    const { services, run } = set({ terminal: true });
    const done = run();
    await services.stdout.shown("number to attach");
    const order = [...services.stdout.text.matchAll(/tempi show (\w+)/g)].map(([, id]) => id);
    expect(order).toEqual(["aaaaaa", "bbbbbb", "cccccc", "k7f3qd"]);
    services.stdin.type("\n");
    expect(await done).toBe(0);
  });
});
