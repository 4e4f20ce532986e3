import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentToolResult, ToolContext, ToolUpdate } from "../../src/agent/tool.ts";

/** A folder of this test alone, removed at its end. Resolved: /tmp is a link on macOS. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tempi-tools-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

let calls = 0;

/** Context of a fresh call in a fresh workspace; fields can be set. */
export async function contextFor(fields: Partial<ToolContext> = {}): Promise<ToolContext> {
  const folder = temporaryFolder();
  const cwd = fields.cwd ?? join(folder, "workspace");
  const callFolder = fields.callFolder ?? join(folder, `call-${++calls}`);
  await mkdir(cwd, { recursive: true });
  await mkdir(callFolder, { recursive: true, mode: 0o700 });
  return {
    sessionId: "abc234",
    callId: "1.1",
    attempt: 1,
    environment: { PATH: process.env.PATH ?? "", HOME: folder },
    model: "fake/fake",
    withFileMutex: (_path, fn) => fn(),
    log: () => undefined,
    exec: () => Promise.reject(new Error("no built-in tool runs programs by this")),
    ...fields,
    cwd,
    callFolder,
  };
}

/** Another call in the same workspace. */
export async function nextCall(ctx: ToolContext, fields: Partial<ToolContext> = {}): Promise<ToolContext> {
  const callFolder = join(temporaryFolder(), "call");
  await mkdir(callFolder, { mode: 0o700 });
  return { ...ctx, callId: `1.${++calls}`, attempt: 1, callFolder, ...fields };
}

interface Runnable<P, D> {
  execute: (
    id: string,
    params: P,
    signal: AbortSignal,
    onUpdate: ToolUpdate<D>,
    ctx: ToolContext,
  ) => Promise<AgentToolResult<D>>;
}

/** Runs a tool; text and details of its result. Throws what the tool throws. */
export async function runTool<P, D>(
  tool: Runnable<P, D>,
  params: P,
  ctx: ToolContext,
  {
    signal = new AbortController().signal,
    onUpdate = () => {},
  }: { signal?: AbortSignal; onUpdate?: ToolUpdate<D> } = {},
): Promise<{ text: string; details: D | undefined; isError: boolean; content: AgentToolResult["content"] }> {
  const result = await tool.execute("provider-id", params, signal, onUpdate, ctx);
  const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { text, details: result.details, isError: result.isError ?? false, content: result.content };
}
