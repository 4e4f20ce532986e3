// A tool with an effect outside, whose worker goes away in the middle of a call.
import { Type } from "@sinclair/typebox";
import { expect, it } from "vitest";
import { defineTool, type ToolDefinition, textResult } from "../../src/agent/tool.ts";
import { fakeModel, resultTexts, TestSessions, toolCall } from "../support/sessions.ts";

const parameters = Type.Object({ amount: Type.Number() });
type Reconcile = NonNullable<ToolDefinition<typeof parameters>["reconcile"]>;

/** Runs one call of a tool that never answers, replaces its worker in the middle, and returns what the model then reads. */
async function interrupted(reconcile?: Reconcile): Promise<{ text: string; started: number; asked: string[] }> {
  const begun = Promise.withResolvers<void>();
  const asked: string[] = [];
  let started = 0;
  const pay = defineTool({
    name: "pay",
    label: "Pay",
    description: "Pays.",
    parameters,
    effect: "external",
    execute: async (_toolCallId, _params, signal) => {
      started += 1;
      begun.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return textResult("never");
    },
    ...(reconcile
      ? {
          reconcile: async (...given: Parameters<Reconcile>) => {
            asked.push(`${given[0]} ${given[1].amount}`);
            return await reconcile(...given);
          },
        }
      : {}),
  });
  const model = fakeModel((turn) => (turn === 1 ? [toolCall("pay", { amount: 5 })] : "done"));
  const tools = [pay as unknown as ToolDefinition];
  const sessions = await TestSessions.start(model, tools);
  const id = await sessions.run("go", { activeTools: ["pay"] });
  await begun.promise;
  await sessions.stopWorker();
  await sessions.startWorker(model, tools);
  await sessions.untilState(id, "idle");
  return { text: resultTexts(model.requests.at(-1)!.messages).join(), started, asked };
}

it("is never started twice: the model reads that it may have run", async () => {
  const { text, started } = await interrupted();
  expect(text).toContain("It may have run, in part or whole; it was not started again.");
  expect(started).toBe(1);
});

it("is asked what became of it, where it can tell: its answer is the call's result", async () => {
  const { text, started, asked } = await interrupted(async () => textResult("paid, receipt 17"));
  expect(text).toBe("paid, receipt 17");
  expect(asked).toEqual(["1.1 5"]);
  expect(started).toBe(1);
});

it.each<[string, Reconcile]>([
  ["does not know", async () => undefined],
  ["fails at finding out", async () => Promise.reject(new Error("no network"))],
])("that %s leaves it at the truth: it may have run", async (_name, reconcile) => {
  const { text, started, asked } = await interrupted(reconcile);
  expect(text).toContain("It may have run");
  expect(asked).toHaveLength(1);
  expect(started).toBe(1);
});
