import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { userExtensions } from "../../src/worker/extensions/discover.ts";
import { bash, fakeModel, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

describe("100 calls in one answer (G2, G3, F22)", { timeout: 60_000 }, () => {
  it("each runs once, results come in source order, half of them on one file without a lost update", async () => {
    const model = fakeModel((turn) => {
      if (turn > 1) return "done";
      return Array.from({ length: 100 }, (_, at) => {
        if (at % 10 === 9) return toolCall("read", { path: "missing" });
        if (at % 2 === 0) return bash(`echo ${at} >> log; echo ${at}`);
        return toolCall("edit", {
          path: at % 4 === 1 ? "f" : "./f",
          edits: [{ oldText: `line ${at}.`, newText: `edited ${at}.` }],
        });
      });
    });
    const sessions = await TestSessions.start(model);
    writeFileSync(join(sessions.workspace, "f"), Array.from({ length: 100 }, (_, at) => `line ${at}.\n`).join(""));
    const id = await sessions.run("go");
    const events = await sessions.untilState(id, "idle");
    const results = resultTexts(model.requests.at(-1)!.messages);
    expect(results).toHaveLength(100);
    for (let at = 0; at < 100; at += 2) expect(results[at]!.trim()).toBe(String(at));
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(join(sessions.workspace, "f"), "utf8").match(/edited/g)).toHaveLength(40);
    expect(readFileSync(join(sessions.workspace, "log"), "utf8").trim().split("\n")).toHaveLength(50);
    const of = (type: string) =>
      events.flatMap((event) => (event.type === type && "toolCallId" in event ? [event.toolCallId] : []));
    const order = Array.from({ length: 100 }, (_, at) => `1.${at + 1}`);
    expect(of("tool_execution_start")).toEqual(order);
    expect(of("message_end").filter(Boolean)).toEqual(order);
    expect([...of("tool_execution_end")].sort()).toEqual([...order].sort());
  });
});

describe("a stop (G7)", () => {
  it("in the preflight: a hook that hangs is left behind, the calls are answered, nothing runs", async () => {
    const model = fakeModel((turn) => (turn === 1 ? [bash("echo ran >> log"), bash("echo ran >> log")] : "fine"));
    const sessions = await TestSessions.start(model);
    mkdirSync(userExtensions(sessions.home), { recursive: true });
    const marker = join(sessions.workspace, "hook");
    writeFileSync(
      join(userExtensions(sessions.home), "hangs.mjs"),
      `import { writeFileSync } from "node:fs"; export default (tempi) => tempi.beforeToolCall(() => { writeFileSync(${JSON.stringify(marker)}, ""); return new Promise(() => {}); });`,
    );
    const id = await sessions.run("go");
    const { existsSync } = await import("node:fs");
    await expect.poll(() => existsSync(marker), { timeout: 10_000 }).toBe(true);
    await sessions.client.abort(id, "me");
    const events = await sessions.untilState(id, "stopped");
    const { messages } = await sessions.client.account(id);
    expect(messages.map(({ message }) => message.role)).toEqual(["user", "assistant", "toolResult", "toolResult"]);
    expect(existsSync(join(sessions.workspace, "log"))).toBe(false);
    expect(events.filter(({ type }) => type === "tool_execution_end")).toHaveLength(2);
  });

  it("in a sequential batch: the running call keeps its output, the later one is not started", async () => {
    const slow = bash("echo begun; sleep 30");
    const model = fakeModel((turn) => (turn === 1 ? [slow, bash("touch later")] : "fine"));
    const { builtInTools } = await import("../../src/tools/index.ts");
    const tools = builtInTools().map((tool) =>
      tool.name === "bash" ? { ...tool, executionMode: "sequential" as const } : tool,
    );
    const sessions = await TestSessions.start(model, tools);
    const id = await sessions.run("go");
    await sessions.until(
      id,
      (item) => item.kind === "live" && item.frame.blocks.some(({ tail }) => tail.includes("begun")),
    );
    await sessions.client.abort(id, "me");
    await sessions.untilState(id, "stopped");
    const results = resultTexts((await sessions.client.account(id)).messages.map(({ message }) => message));
    expect(results[0]).toContain("begun");
    expect(results[1]).toMatch(/stopped this turn before the call started/);
  });
});
