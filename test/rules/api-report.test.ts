import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "./project-files.ts";

/** Modules whose declarations make the public surface, in the order of the report. */
const modules = ["src/index", "src/agent/tool", "src/agent/extension", "src/agent/hooks", "src/agent/messages"];

it("the public surface is the one of docs/api-report.txt (after a wanted change: npx vitest run test/rules/api-report.test.ts -u)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tempi-api-"));
  try {
    const tsc = join(repositoryRoot, "node_modules", ".bin", "tsc");
    const options = [
      "--ignoreConfig",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--types",
      "node",
      "--skipLibCheck",
    ];
    const output = [
      "--allowImportingTsExtensions",
      "--emitDeclarationOnly",
      "--declaration",
      "--rootDir",
      ".",
      "--outDir",
      folder,
    ];
    const emit = ["src/index.ts", ...options, ...output];
    execFileSync(tsc, emit, { cwd: repositoryRoot });
    const report = modules
      .map((name) => `// ${name}.ts\n${readFileSync(join(folder, `${name}.d.ts`), "utf8").trim()}\n`)
      .join("\n");
    await expect(report).toMatchFileSnapshot("../../docs/api-report.txt");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
