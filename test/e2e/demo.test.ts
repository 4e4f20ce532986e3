import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, inject, it } from "vitest";

it("the demo needs no key and no configuration, survives its own kill -9, and leaves nothing", {
  timeout: 120_000,
}, async () => {
  const root = join(import.meta.dirname, "..", "..");
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, TEMPI_TEMPORAL_CLI: inject("temporalCli") };
  const child = spawn("npm", ["run", "-s", "demo"], { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(output).toMatch(/kill -9 \d+/);
  expect(output).toMatch(/the test was started once, the edit was made once, and it passes/);
  expect(code, output).toBe(0);
});
