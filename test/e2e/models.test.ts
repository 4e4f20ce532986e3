import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Cli } from "../support/cli.ts";
import { chunk, modelList, startModelServer } from "../support/model-server.ts";

const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 100,
  total_tokens: 1_100,
  prompt_tokens_details: { cached_tokens: 600 },
};
const answer = {
  chunks: [chunk({ role: "assistant", content: "hello" }), chunk({}, "stop"), { ...chunk({}), choices: [], usage }],
};

it("what the configuration says of a model counts for each request, is refused before a session where it is wrong, and follows a switch", {
  timeout: 90_000,
}, async () => {
  const server = await startModelServer(
    () => answer,
    () => modelList("small", "large"),
  );
  const cli = new Cli({ MINE_KEY: "mine-key-value" });
  const file = join(cli.home, "config.toml");
  appendFileSync(
    file,
    `[aliases]
fast = "mine/small"
[providers.mine]
base_url = "${server.url}"
key = { env = "MINE_KEY" }
compat = { maxTokensField = "max_completion_tokens" }
[models."mine/small"]
context_window = 64_000
max_output = 4_000
thinking = { off = "none", high = "deep" }
price = { input = 2, output = 10, cache_read = 0.5 }
compat = { usageInStream = true, store = true }
`,
  );

  const wrong = await cli.run("run", "--model", "mine/smal", "hi");
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toMatch(/has no model "smal"; the nearest are mine\/small, mine\/large\. Next: tempi models/);
  expect(await cli.json("list", "--all")).toEqual([]);
  expect(server.requests).toHaveLength(0);

  const { code, stdout } = await cli.run("run", "--json", "--model", "fast", "--thinking", "high", "hi");
  expect(code).toBe(0);
  const { sessionId, cost, usage: total } = Cli.events(stdout).at(-1) as Record<string, unknown>;
  expect(cost).toBeCloseTo((400 * 2 + 600 * 0.5 + 100 * 10) / 1e6, 10);
  expect(total).toMatchObject({ input: 400, cacheRead: 600, output: 100 });
  const first = server.requests[0]!;
  expect(first.headers.authorization).toBe("Bearer mine-key-value");
  expect(first.body).toMatchObject({
    model: "small",
    max_completion_tokens: 4_000,
    reasoning_effort: "deep",
    store: false,
  });

  // Another model of the same provider, without a table, so without a price.
  expect(await cli.run("set", sessionId as string, "--model", "mine/lrge")).toMatchObject({ code: 2 });
  expect(await cli.run("set", sessionId as string, "--model", "mine/large")).toMatchObject({ code: 0 });
  const again = await cli.run("send", "--json", "-f", sessionId as string, "again");
  expect(again.code).toBe(0);
  const second = server.requests[1]!.body;
  expect(second.model).toBe("large");
  for (const field of ["max_completion_tokens", "max_tokens", "reasoning_effort", "store"]) {
    expect(second).not.toHaveProperty(field);
  }
  expect(Cli.events(again.stdout).at(-1)).toMatchObject({ cost: null, usage: { costIncomplete: true, cost } });
  expect((await cli.run("show", sessionId as string)).stdout).toContain("at least $0.0021");

  // Written while the session lives: it counts from the next request on.
  writeFileSync(
    file,
    `[web]\nstart = "off"\n[providers.mine]\nbase_url = "${server.url}"\nkey = { env = "MINE_KEY" }\n[models."mine/large"]\nmax_output = 77\nthinking = { high = "more" }\n`,
  );
  expect((await cli.run("send", "-f", sessionId as string, "third")).code).toBe(0);
  expect(server.requests[2]!.body).toMatchObject({ model: "large", max_tokens: 77, reasoning_effort: "more" });
  await server.close();
});
