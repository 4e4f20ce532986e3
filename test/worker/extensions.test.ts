import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { setTrust } from "../../src/config/trust.ts";
import { folderHash, userExtensions, workspaceExtensions } from "../../src/worker/extensions/discover.ts";
import { toolsetOf } from "../../src/worker/extensions/toolset.ts";
import { bash, fakeModel, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

/** A model that calls once, then answers. */
const calling = (...calls: ReturnType<typeof bash>[]) => fakeModel((turn) => (turn === 1 ? calls : "done"));

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const counter = (reply: string) => `
export default (tempi) => tempi.registerTool({
  name: "counter", label: "Counter", description: "Counts.", effect: "external",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  execute: async (id, params, signal, onUpdate, ctx) => {
    const { stdout } = await ctx.exec("sh", ["-c", "echo ran >> counted; pwd"]);
    return { content: [{ type: "text", text: "${reply} " + (params.n + 1) + " in " + stdout.trim() + " for " + ctx.model }] };
  },
});`;

describe("an extension of the user", () => {
  it("adds a tool with plain JSON Schema, whose arguments are converted, that asks, and that runs durably (B3, B4)", async () => {
    const sessions = await TestSessions.start(calling(toolCall("counter", { n: "41" })));
    write(userExtensions(sessions.home), "counter.mjs", counter("answer"));
    const id = await sessions.run("go", { activeTools: ["bash", "extensions"], approval: "edits" });
    await sessions.untilState(id, "waiting");
    const { pending } = await sessions.client.state(id);
    expect(pending).toMatchObject([{ toolName: "counter", reason: "level", display: [{ kind: "text" }] }]);
    await sessions.client.decide(id, { approvalId: pending[0]!.id, decision: "allow", by: "me" });
    await sessions.untilState(id, "idle");
    const [result] = resultTexts((await sessions.client.account(id)).messages.map(({ message }) => message));
    expect(result).toBe(`answer 42 in ${sessions.workspace} for fake/fake`);
    expect(readFileSync(join(sessions.workspace, "counted"), "utf8")).toBe("ran\n");
  });

  it("is seen in its new version by the next session, without a restart", async () => {
    const model = calling(toolCall("counter", { n: 1 }));
    const sessions = await TestSessions.start(model);
    for (const reply of ["old", "new"]) {
      write(userExtensions(sessions.home), "counter.mjs", counter(reply));
      const id = await sessions.run("go", { activeTools: ["extensions"] });
      await sessions.untilState(id, "idle");
      expect(resultTexts(model.requests.at(-1)!.messages)[0]).toMatch(new RegExp(`^${reply} 2`));
    }
  });

  it("hooks into every call: blocks, asks, changes arguments, redacts results, sees the conversation (F1–F4)", async () => {
    const model = calling(bash("echo secret-value"), bash("rm -rf x"), bash("echo was changed"), bash("exit 3"));
    const sessions = await TestSessions.start(model);
    write(
      userExtensions(sessions.home),
      "hooks.mjs",
      `export default (tempi) => {
        tempi.beforeToolCall(async ({ toolCall, args, context }) => {
          if (args.command.startsWith("rm")) return { block: true, reason: "no rm here, of " + (await context.messages()).length + " messages" };
          if (args.command.includes("changed")) return { args: { command: "echo by the hook" } };
        });
        tempi.afterToolCall(({ result, isError }) => ({
          content: result.content.map((block) => ({ ...block, text: block.text.replaceAll("secret-value", "[redacted]") + (isError ? " (failed)" : "") })),
        }));
      };`,
    );
    const id = await sessions.run("go");
    const events = await sessions.untilState(id, "idle");
    const results = resultTexts(model.requests.at(-1)!.messages);
    expect(results[0]).toContain("[redacted]");
    expect(results[0]).not.toContain("secret-value");
    expect(results[1]).toBe("no rm here, of 2 messages");
    expect(results[2]).toContain("by the hook");
    expect(results[3]).toMatch(/code 3.* \(failed\)$/s);
    const ends = events.flatMap((event) => (event.type === "tool_execution_end" ? [event.toolCallId] : []));
    expect(ends[0]).toBe("1.2");
  });

  it("shows calls and results in its own way; a renderer that throws falls back (B3)", async () => {
    const sessions = await TestSessions.start(calling(toolCall("shown", { n: 1 }), toolCall("broken", { n: 1 })));
    const renderers = `renderCall: ({ n }, { state }) => { state.n = n; return "counts\\n  from " + n; }, renderResult: (result, { state }) => "**" + state.n + "** in all",`;
    const throwing = `renderCall: () => { throw new Error("x"); }, renderResult: () => { throw new Error("x"); },`;
    const tool = (name: string, more: string) =>
      counter("answer").replace('"counter"', `"${name}"`).replace("execute:", `${more} execute:`);
    write(userExtensions(sessions.home), "shown.mjs", tool("shown", renderers));
    write(userExtensions(sessions.home), "broken.mjs", tool("broken", throwing));
    const id = await sessions.run("go", { activeTools: ["extensions"] });
    const events = await sessions.untilState(id, "idle");
    const ends = events.flatMap((event) =>
      event.type === "tool_execution_end" ? [[event.toolName, event.summary]] : [],
    );
    expect(Object.fromEntries(ends)).toEqual({ shown: "counts from 1", broken: "" });
    const results = (await sessions.client.account(id)).messages.flatMap(({ message }) =>
      message.role === "toolResult" ? [message.rendered] : [],
    );
    expect(results).toEqual(["**1** in all", undefined]);
  });

  it("can make a call ask that policy would let run", async () => {
    const sessions = await TestSessions.start(calling(bash("echo deploy")));
    write(
      userExtensions(sessions.home),
      "ask.mjs",
      `export default (tempi) => tempi.beforeToolCall(() => ({ ask: { reason: "a deployment" } }));`,
    );
    const id = await sessions.run("go");
    await sessions.untilState(id, "waiting");
    expect((await sessions.client.state(id)).pending).toMatchObject([{ reason: "hook", reasonDetail: "a deployment" }]);
  });

  it("that is broken is named and skipped, and never stops a session (B37, B38)", async () => {
    const sessions = await TestSessions.start(calling(bash("echo fine")));
    const folder = userExtensions(sessions.home);
    write(folder, "a-syntax.mjs", "export default (");
    write(folder, "b-throws.mjs", "export default () => { throw new Error('at load'); }");
    write(folder, "c-nothing.mjs", "export const x = 1;");
    write(folder, "d-schema.mjs", counter("x").replace('type: "integer"', 'type: "intejer"'));
    write(folder, "e-name.mjs", counter("x").replace('"counter"', '"model"'));
    write(folder, "f-good.mjs", counter("x"));
    write(folder, "g-twice.mjs", counter("x"));
    const { faults, extensionTools } = await toolsetOf(sessions.home, sessions.workspace, []);
    expect(extensionTools).toEqual(["counter"]);
    expect(faults).toHaveLength(6);
    for (const name of [
      "a-syntax",
      "b-throws.mjs was skipped: at load",
      "c-nothing",
      "d-schema",
      "e-name",
      "g-twice",
    ]) {
      expect(faults.join("\n")).toContain(name);
    }
    const id = await sessions.run("go");
    const events = await sessions.untilState(id, "idle");
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toEqual(faults);
  });

  it("cannot take a built-in's leave: its own `read` asks", async () => {
    const sessions = await TestSessions.start(calling(toolCall("read", { n: 1 })));
    write(
      userExtensions(sessions.home),
      "read.mjs",
      counter("x").replace('"counter"', '"read"').replace('"external"', '"read"'),
    );
    const id = await sessions.run("go", { approval: "edits" });
    await sessions.untilState(id, "waiting");
  });
});

describe("an extension of a workspace (C02, C06)", () => {
  it("counts only after its content was trusted, and a changed file asks anew", async () => {
    const sessions = await TestSessions.start(calling(bash("true")));
    const folder = workspaceExtensions(sessions.workspace);
    write(
      folder,
      "marks.mjs",
      `import { writeFileSync } from "node:fs"; writeFileSync("${sessions.workspace}/ran", ""); export default () => {};`,
    );
    const before = await toolsetOf(sessions.home, sessions.workspace, []);
    expect(before.faults).toEqual([expect.stringMatching(/not trusted.*tempi trust/)]);
    expect(() => readFileSync(join(sessions.workspace, "ran"))).toThrow();
    setTrust(sessions.home, folder, await folderHash(folder));
    expect((await toolsetOf(sessions.home, sessions.workspace, [])).faults).toEqual([]);
    write(folder, "helper/data.json", "{}");
    expect((await toolsetOf(sessions.home, sessions.workspace, [])).faults).toEqual([
      expect.stringMatching(/not trusted/),
    ]);
  });
});
