import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ToolContext } from "../../src/agent/tool.ts";
import { ripgrepPath } from "../../src/tools/ripgrep.ts";
import { contextFor } from "./support.ts";

/** A workspace that is a git repository with these files. */
export async function repositoryWith(files: Record<string, string | Buffer>): Promise<ToolContext> {
  const ctx = await contextFor();
  execFileSync("git", ["init", "-q", ctx.cwd], { env: { PATH: process.env.PATH, HOME: ctx.cwd } });
  await addFiles(ctx, files);
  return ctx;
}

export async function addFiles(ctx: ToolContext, files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(ctx.cwd, name)), { recursive: true });
    await writeFile(join(ctx.cwd, name), content);
  }
}

/** Writes a file whose name is not UTF-8. */
export const addRawName = (ctx: ToolContext, name: Buffer, content: string): Promise<void> =>
  writeFile(Buffer.concat([Buffer.from(`${ctx.cwd}/`), name]), content);

/** A copy of the packaged program that every user can run: the checkout may lie in a folder that only its owner enters. */
export async function ripgrepForAll(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tempi-rg-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const program = join(folder, "rg");
  await copyFile(await ripgrepPath(), program);
  await chmod(program, 0o755);
  return program;
}
