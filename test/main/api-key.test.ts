// Which key goes to which endpoint, from real files of a home.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homeOf, prepareHome } from "../../src/config/home.ts";
import { apiKeyFor } from "../../src/main/api-key.ts";
import { temporaryFolder } from "../config/temporary-folder.ts";

it("a model's own key goes to its own address, its provider's to the provider's, and neither anywhere else", async () => {
  const home = homeOf({ TEMPI_HOME: temporaryFolder("keys") });
  prepareHome(home);
  writeFileSync(join(home.root, "a.key"), "provider-key\n", { mode: 0o600 });
  writeFileSync(join(home.root, "b.key"), "model-key\n", { mode: 0o600 });
  writeFileSync(
    home.configFile,
    `[providers.mine]
base_url = "https://mine.example/v1"
key = { file = "a.key" }
[models."mine/far"]
base_url = "https://far.example/v1"
key = { file = "b.key" }
`,
  );
  const key = (model: string, baseUrl: string) => apiKeyFor(home, { provider: "mine", model, baseUrl });
  expect(await key("near", "https://mine.example/v1/")).toBe("provider-key");
  expect(await key("far", "https://far.example/v1")).toBe("model-key");
  for (const [model, baseUrl] of [
    ["near", "https://far.example/v1"],
    ["far", "https://mine.example/v1"],
    ["near", "https://evil.example/v1"],
  ] as const) {
    await expect(key(model, baseUrl)).rejects.toMatchObject({ kind: "auth" });
  }
});
