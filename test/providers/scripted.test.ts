// The offline model, from real files.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../../src/agent/messages.ts";
import type { StreamDelta } from "../../src/providers/contract.ts";
import { streamAssistant } from "../../src/providers/index.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "scripted-"));
  file = join(folder, "script.json");
});
afterEach(() => rm(folder, { recursive: true }));

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });

async function ask(script: unknown, messages: Message[] = [user("go")], signal = new AbortController().signal) {
  await writeFile(file, typeof script === "string" ? script : JSON.stringify(script));
  const deltas: StreamDelta[] = [];
  const request = {
    provider: "scripted",
    model: file,
    systemPrompt: "",
    messages,
    tools: [],
    thinking: "off" as const,
  };
  const message = await streamAssistant(request, { signal, onDelta: (delta) => deltas.push(delta) });
  return { message, deltas };
}

describe("answers", () => {
  const script = {
    answers: [
      { thinking: "hm", text: "one two", calls: [{ name: "bash", arguments: { command: "echo {{n}}" } }] },
      { text: "bye {{n}}" },
    ],
  };

  it("stream word by word and end as toolUse when there are calls", async () => {
    const { message, deltas } = await ask(script);
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "one two" },
      { type: "toolCall", id: "scripted-0-0", name: "bash", arguments: { command: "echo 0" } },
    ]);
    expect(deltas.map((delta) => delta.delta)).toEqual(["hm", "one ", "two", '{"command":"echo 0"}']);
  });

  it("are chosen by the answers already in the conversation; failed and aborted ones do not count", async () => {
    const { message } = await ask(script);
    const aborted = { ...message, stopReason: "aborted" as const };
    expect((await ask(script, [user("go"), aborted])).message.content).toHaveLength(3);
    expect((await ask(script, [user("go"), message])).message.content).toEqual([{ type: "text", text: "bye 1" }]);
    expect((await ask(script, [user("go"), message, message])).message.content).toEqual([
      { type: "text", text: "done" },
    ]);
  });

  it("fail as often as they say, then go on", async () => {
    const failing = {
      answers: [{ text: "ok", error: { kind: "rateLimit", message: "slow", retryAfterMs: 5, times: 2 } }],
    };
    for (let round = 0; round < 2; round++) {
      await expect(ask(failing)).rejects.toMatchObject({ kind: "rateLimit", message: "slow", retryAfterMs: 5 });
    }
    expect((await ask(failing)).message.content).toEqual([{ type: "text", text: "ok" }]);
  });

  it("stop at once when aborted, with the text so far", async () => {
    const { message } = await ask(
      { answers: [{ text: "a b c d", chunkMs: 60_000 }] },
      undefined,
      AbortSignal.timeout(100),
    );
    expect(message).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "a " }] });
    const early = await ask({ answers: [{ text: "a", delayMs: 60_000 }] }, undefined, AbortSignal.timeout(50));
    expect(early.message).toMatchObject({ stopReason: "aborted", content: [] });
  });

  it("may end with length, and may expect what came before", async () => {
    expect((await ask({ answers: [{ text: "x", stopReason: "length" }] })).message.stopReason).toBe("length");
    await expect(ask({ answers: [{ text: "x", expect: { lastIncludes: "hello" } }] })).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining('expects "hello"'),
    });
    expect((await ask({ answers: [{ text: "x", expect: { lastIncludes: "go" } }] })).message.stopReason).toBe("stop");
  });
});

describe("scripts that are none", () => {
  it("say where the fault is", async () => {
    await expect(ask({ answers: [{ txt: "x" }, { error: { kind: "odd" } }] })).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(
        /answers\.0\.txt: is not allowed[\s\S]*answers\.1\.error\.kind: must be one of "rateLimit"/,
      ),
    });
    await expect(ask("{")).rejects.toMatchObject({ kind: "invalid" });
  });

  it("a missing file is an unknown model", async () => {
    const request = {
      provider: "scripted",
      model: join(folder, "none.json"),
      systemPrompt: "",
      messages: [],
      tools: [],
      thinking: "off" as const,
    };
    await expect(
      streamAssistant(request, { signal: new AbortController().signal, onDelta: () => {} }),
    ).rejects.toMatchObject({ kind: "unknownModel" });
  });
});
