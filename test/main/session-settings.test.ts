import { describe, expect, it, onTestFinished, vi } from "vitest";
import { configDefaults } from "../../src/config/schema.ts";
import { sessionSettings } from "../../src/main/session-settings.ts";

describe("where the work ends", () => {
  const values = { ...configDefaults, model: "mine/big", providers: { mine: { base_url: "http://127.0.0.1:9/v1" } } };
  const priced = { ...values, models: { "mine/big": { price: { input: 1, output: 2 } } } };

  it("is told by flags over the configuration, and by nothing where nothing is", async () => {
    const settings = await sessionSettings(priced, { until: "make test", timeout: "2h", budget: 5 }, "/");
    expect(settings).toMatchObject({ until: "make test", timeoutMs: 7_200_000, budget: 5 });
    const fromFile = { ...priced, until: "make", timeout: "15m", budget: 2 };
    expect(await sessionSettings(fromFile, { timeout: "30s" }, "/")).toMatchObject({
      until: "make",
      timeoutMs: 30_000,
      budget: 2,
    });
    const bare = await sessionSettings(values, {}, "/");
    for (const key of ["until", "timeoutMs", "budget"]) expect(bare).not.toHaveProperty(key);
  });

  it("cannot be a budget where nobody knows the price, unless the endpoint tells it", async () => {
    await expect(sessionSettings(values, { budget: 5 }, "/")).rejects.toMatchObject({
      message: "a budget needs the price of mine/big, which is not known",
      next: expect.stringContaining('[models."mine/big"] price'),
      exitCode: 2,
    });
    const openrouter = {
      ...values,
      model: "mine/big",
      providers: { mine: { base_url: "https://openrouter.ai/api/v1" } },
    };
    vi.stubEnv("MINE_KEY", "k");
    onTestFinished(() => void vi.unstubAllEnvs());
    const withKey = { ...openrouter, providers: { mine: { ...openrouter.providers.mine, key: { env: "MINE_KEY" } } } };
    expect(await sessionSettings(withKey, { budget: 5 }, "/")).toMatchObject({ budget: 5 });
  });

  it("cannot be an empty check", async () => {
    await expect(sessionSettings(values, { until: " " }, "/")).rejects.toThrow(/the command of --until is empty/);
  });
});
