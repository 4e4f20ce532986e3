import type { Step } from "../script.ts";

/** Id that the model gives a call. */
export const wireIdOf = (token: string): string => `call_${token}`;

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "chaos",
  object: "chat.completion.chunk",
  model: "chaos-1",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Events of a step's answer, in order: text word by word, then each call with its arguments in three pieces. */
export function chunksOf(step: Step): object[] {
  const words = step.text.split(/(?<= )/).map((content) => chunk({ role: "assistant", content }));
  const calls = step.calls.flatMap((call, index) => {
    const text = JSON.stringify(call.arguments);
    const size = Math.ceil(text.length / 3);
    const first = { index, id: wireIdOf(call.token), type: "function", function: { name: call.name, arguments: "" } };
    const rest = [0, 1, 2].map((part) => ({
      index,
      function: { arguments: text.slice(part * size, (part + 1) * size) },
    }));
    return [first, ...rest].map((one) => chunk({ tool_calls: [one] }));
  });
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  return [
    ...words,
    ...calls,
    chunk({}, step.calls.length > 0 ? "tool_calls" : "stop"),
    { ...chunk({}), choices: [], usage },
  ];
}
