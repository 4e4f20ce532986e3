// Real files in a temporary folder: rows 2.29 and 9.24 of pi-behaviours.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadContextFiles } from "../../src/prompt/context-files.ts";

let folder: string;
const load = async () => {
  const files = await loadContextFiles(join(folder, "a/b"), { userFolder: join(folder, "user") });
  return files.filter((file) => file.path.startsWith(folder));
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "context-files-"));
  await mkdir(join(folder, "a/b"), { recursive: true });
  await mkdir(join(folder, "user"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("context files", () => {
  it("come from the user folder, then from the root down", async () => {
    await writeFile(join(folder, "user/AGENTS.md"), "user");
    await writeFile(join(folder, "a/AGENTS.md"), "outer");
    await writeFile(join(folder, "a/b/CLAUDE.md"), "inner");
    expect((await load()).map((file) => file.text)).toEqual(["user", "outer", "inner"]);
  });

  it("are one per folder: override, then AGENTS, then CLAUDE", async () => {
    await writeFile(join(folder, "a/AGENTS.override.md"), "override");
    await writeFile(join(folder, "a/AGENTS.md"), "agents");
    await writeFile(join(folder, "a/b/AGENTS.md"), "agents");
    await writeFile(join(folder, "a/b/CLAUDE.md"), "claude");
    expect((await load()).map((file) => file.text)).toEqual(["override", "agents"]);
  });

  it("lose their BOM", async () => {
    await writeFile(join(folder, "a/AGENTS.md"), "\uFEFFtext");
    expect((await load())[0]?.text).toBe("text");
  });

  it("are cut after 64 KB, at a whole character, with a note", async () => {
    await writeFile(join(folder, "a/AGENTS.md"), "中".repeat(30_000));
    const [file] = await load();
    expect(file?.text).toBe("中".repeat(21_845));
    expect(file?.note).toContain("64 KB of 90000 bytes");
  });

  it("are passed over when empty or a folder; the next name counts", async () => {
    await mkdir(join(folder, "a/AGENTS.override.md"));
    await writeFile(join(folder, "a/AGENTS.md"), " \n");
    await writeFile(join(folder, "a/CLAUDE.md"), "claude");
    expect((await load()).map((file) => file.text)).toEqual(["claude"]);
  });

  it("may be links to each other, but not to private files elsewhere", async () => {
    await writeFile(join(folder, "a/CLAUDE.md"), "claude");
    await symlink("CLAUDE.md", join(folder, "a/AGENTS.md"));
    await writeFile(join(folder, "secret"), "key");
    await symlink(join(folder, "secret"), join(folder, "a/b/AGENTS.md"));
    expect((await load()).map((file) => file.text)).toEqual(["claude"]);
  });
});
