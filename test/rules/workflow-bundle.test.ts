import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkGlobals, forbiddenGlobals } from "./forbidden-globals.ts";
import { isSource, projectFiles, repositoryRoot } from "./project-files.ts";
import { bundleWorkflows, nodeModulesIn } from "./workflow-bundle.ts";

const bundled = /^(workflows|src\/agent|src\/protocol)\//;

describe("the project's workflows", () => {
  it("bundle with no ignored module and no Node module, and use no forbidden global", async () => {
    const bundle = await bundleWorkflows(join(repositoryRoot, "workflows/index.ts"), repositoryRoot);
    expect(bundle.modules).toContain("workflows/index.ts");
    expect(nodeModulesIn(bundle)).toEqual([]);
    // Every project file in it, also one that no import rule covers.
    const sources = projectFiles().filter(({ path }) => bundle.modules.includes(path));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.flatMap(checkGlobals)).toEqual([]);
  }, 60_000);

  it("and the folders they come from use no forbidden global", () => {
    const sources = projectFiles().filter(({ path }) => isSource(path) && bundled.test(path));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.flatMap(checkGlobals)).toEqual([]);
  });
});

describe("bundleWorkflows", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tempi-bundle-"));
    symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const bundleOf = (text: string) => {
    writeFileSync(join(folder, "index.ts"), text);
    return bundleWorkflows(join(folder, "index.ts"), folder);
  };

  it("lists the files of a bundle", async () => {
    writeFileSync(join(folder, "part.ts"), "export const part: number = 1;");
    const bundle = await bundleOf('import { part } from "./part.ts"; export const workflow = async () => part;');
    expect(bundle.modules).toEqual(expect.arrayContaining(["index.ts", "part.ts"]));
    expect(nodeModulesIn(bundle)).toEqual([]);
  });

  it("fails on a Node module", async () => {
    const text = 'import { readFileSync } from "node:fs"; export const workflow = async () => readFileSync("a");';
    await expect(bundleOf(text)).rejects.toThrow(/node:fs|'fs'/);
  });

  it("sees a Node module that is only required at run time", () => {
    const found = nodeModulesIn({ code: 'const fs = require("node:fs");', modules: ["external node-commonjs"] });
    expect(found).toEqual(["external node-commonjs", 'require("node:fs")']);
  });

  it("says that the workflows are missing", async () => {
    await expect(bundleWorkflows(join(folder, "none/index.ts"), folder)).rejects.toThrow(
      "none/index.ts does not exist: it exports every workflow and is what is bundled",
    );
  });
});

describe("checkGlobals", () => {
  const found = (text: string) => checkGlobals({ path: "workflows/a.ts", text });

  it.each([...forbiddenGlobals])("refuses %s", (name) => {
    for (const text of [
      `${name}(1);`,
      `export const a = { b: ${name}.c };`,
      `globalThis.${name};`,
      `(${name} as A).b;`,
    ]) {
      expect(found(text)).toEqual([
        `workflows/a.ts uses ${name}: it does not exist in the workflow sandbox or is not deterministic`,
      ]);
    }
    expect(found(`globalThis["${name}"];`)).toHaveLength(1);
    expect(found(`export const a = { ${name} };`)).toHaveLength(1);
  });

  it.each([
    "state.process.id; const a = { crypto: 1, fetch() {} };",
    "export function run(fetch: () => void) { fetch(); }",
    "const { process } = state; process();",
    'import { performance } from "./own.ts"; performance();',
    "interface A { process: string } type B = typeof process;",
    "// process\nconst a = 'fetch';",
    "setTimeout(() => {}, 1); Date.now(); Math.random();",
  ])("allows %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});
