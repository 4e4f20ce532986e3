import { expect, it } from "vitest";
import { Cli } from "../support/cli.ts";
import { callsAnswer, startModelServer, textAnswer } from "../support/model-server.ts";

it("runs 20 turns of 3 calls against a strict endpoint: each once, events in order, pairing right", {
  timeout: 90_000,
}, async () => {
  const server = await startModelServer((request) => {
    const answered = request.body.messages.filter(({ role }: { role: string }) => role === "tool").length;
    if (answered >= 60) return textAnswer(`done after ${answered} calls`);
    return callsAnswer(
      [0, 1, 2].map((at) => ({ name: "bash", arguments: { command: `echo ${answered + at} >> log.txt` } })),
    );
  });
  const cli = new Cli({ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "test-key-value" });
  const { code, stdout, stderr } = await cli.run("run", "--json", "--approval", "auto", "--model", "mock", "go");
  await server.close();
  expect(stderr).not.toContain("test-key-value");
  expect(code).toBe(0);
  const lines = cli.read("log.txt").trim().split("\n").map(Number);
  expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  const events = Cli.events(stdout);
  expect(events[0]).toMatchObject({ type: "session_start", schema: 1 });
  expect(events.at(-1)).toMatchObject({
    type: "session_result",
    state: "idle",
    answer: "done after 60 calls",
    turns: 21,
  });
  const durable = events.filter(({ seq }) => seq !== undefined).map(({ seq }) => seq);
  expect(durable).toEqual(durable.map((_, at) => at + 1));
  for (let turn = 1; turn <= 20; turn++) {
    const ids = [1, 2, 3].map((position) => `${turn}.${position}`);
    const of = (type: string) => events.filter((event) => event.type === type && ids.includes(event.toolCallId ?? ""));
    const at = (type: string) => of(type).map((event) => events.indexOf(event));
    // All starts, then ends as they finish, then results in source order (G3).
    expect(of("tool_execution_start").map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(of("message_end").map(({ toolCallId }) => toolCallId)).toEqual(ids);
    expect(Math.max(...at("tool_execution_start"))).toBeLessThan(Math.min(...at("tool_execution_end")));
    expect(Math.max(...at("tool_execution_end"))).toBeLessThan(Math.min(...at("message_end")));
  }
});
