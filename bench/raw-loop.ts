import { readFile } from "node:fs/promises";
import OpenAI from "openai";

/** The same conversation without any durability: ask, read the files together, ask again. Milliseconds of each turn. */
export async function rawLoop(baseUrl: string): Promise<number[]> {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: "bench", maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  const times: number[] = [];
  for (;;) {
    const began = performance.now();
    const stream = client.chat.completions.stream({ model: "instant", messages });
    const answer = (await stream.finalChatCompletion()).choices[0]!.message;
    const calls = answer.tool_calls ?? [];
    if (calls.length === 0) return times;
    const results = await Promise.all(
      calls.map(async (call) => ({
        role: "tool" as const,
        tool_call_id: call.id,
        content: call.type === "function" ? await readFile(pathIn(call.function.arguments), "utf8") : "",
      })),
    );
    messages.push({ role: "assistant", content: answer.content, tool_calls: calls }, ...results);
    times.push(performance.now() - began);
  }
}

const pathIn = (text: string): string => (JSON.parse(text) as { path: string }).path;
