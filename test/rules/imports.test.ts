import { describe, expect, it } from "vitest";
import { checkImports } from "./check-imports.ts";
import { importTable } from "./import-table.ts";
import { moduleReferences } from "./module-references.ts";
import { isSource, projectFiles } from "./project-files.ts";

describe("the project", () => {
  it("imports only what the table of folders allows", () => {
    const files = projectFiles().filter(({ path }) => isSource(path));
    expect(files.length).toBeGreaterThan(10);
    expect(files.flatMap((file) => checkImports(file, importTable))).toEqual([]);
  });

  it("has a row for each folder of sources", () => {
    const folders = projectFiles()
      .filter(({ path }) => isSource(path) && /^(src\/[^/]+\/|workflows\/|activities\/|bin\/)/.test(path))
      .map(({ path }) => path.replace(/^(src\/[^/]+|[^/]+)\/.*/, "$1"));
    const rows = new Set(importTable.map(({ from }) => from));
    expect([...new Set(folders)].filter((folder) => !rows.has(folder))).toEqual([]);
  });

  it("keeps every source of src in a folder, but for what extensions import", () => {
    const top = projectFiles().filter(({ path }) => isSource(path) && /^src\/[^/]+$/.test(path));
    expect(top.map(({ path }) => path)).toEqual(["src/index.ts"]);
  });
});

describe("moduleReferences", () => {
  const referencesIn = (text: string) => moduleReferences({ path: "src/agent/made-up.ts", text });

  it.each([
    ['import { a } from "m";', "value"],
    ['import "m";', "value"],
    ['import { type A } from "m";', "value"],
    ['import type { A } from "m";', "type"],
    ['export { a } from "m";', "value"],
    ['export type { A } from "m";', "type"],
    ['export * from "m";', "value"],
    ['const a = await import("m");', "value"],
    ["const a = await import(`m`);", "value"],
    ['const a = require("m");', "value"],
    ['type A = import("m").A;', "type"],
    ['let a: typeof import("m");', "type"],
  ] as const)("reads %s as a %s", (text, kind) => {
    expect(referencesIn(text)).toEqual([{ specifier: "m", kind }]);
  });

  it("tells a computed name", () => {
    expect(referencesIn("await import(name);")).toEqual([{ kind: "value" }]);
  });

  it("leaves comments and texts alone", () => {
    expect(referencesIn('// import "m"\nconst a = "import \'m\'";')).toEqual([]);
  });
});

describe("checkImports", () => {
  const refused = (path: string, text: string) => checkImports({ path, text }, importTable);

  it.each([
    ["src/agent/a.ts", 'import { b } from "node:fs";'],
    ["src/agent/a.ts", 'import { b } from "fs";'],
    ["src/agent/a.ts", 'import type { B } from "@temporalio/common";'],
    ["src/agent/a.ts", 'import { b } from "../protocol/limits.ts";'],
    ["src/agent/a.ts", "await import(name);"],
    ["src/schema/a.ts", 'import type { B } from "node:fs";'],
    ["src/protocol/a.ts", 'import { b } from "../agent/messages.ts";'],
    ["src/protocol/a.ts", 'import { b } from "@temporalio/client";'],
    ["workflows/session.ts", 'import { b } from "../activities/model.ts";'],
    ["workflows/session.ts", 'import { type B } from "../activities/model.ts";'],
    ["workflows/session.ts", 'export { b } from "../activities/model.ts";'],
    ["workflows/session.ts", 'import { b } from "@temporalio/activity";'],
    ["workflows/session.ts", 'const b = await import("../src/tools/bash.ts");'],
    ["src/tools/bash.ts", 'import { b } from "@temporalio/activity";'],
    ["src/tools/bash.ts", 'import { b } from "../providers/errors.ts";'],
    ["activities/model.ts", 'import { b } from "../workflows/session.ts";'],
    ["activities/model.ts", 'import { b } from "../src/client/connect.ts";'],
    ["activities/model.ts", 'import { b } from "../src/cli/run.ts";'],
    ["src/client/a.ts", 'import { loadConfig } from "../config/load.ts";'],
    ["src/client/a.ts", 'import type { B } from "../config/read.ts";'],
    ["src/client/a.ts", 'import { b } from "@temporalio/worker";'],
    ["src/server/a.ts", 'import { b } from "../client/connect.ts";'],
    ["src/config/a.ts", 'import { b } from "../server/start.ts";'],
    ["src/cli/a.ts", 'import { b } from "../web/routes.ts";'],
    ["src/web/a.ts", 'import { b } from "../cli/run.ts";'],
    ["src/web/page/a.tsx", 'import { b } from "../server.ts";'],
    ["src/web/page/a.tsx", 'import { b } from "node:fs";'],
    ["src/web/page/views/a.tsx", 'import { b } from "../../../client/connect.ts";'],
    ["src/cli/a.ts", 'import { b } from "../worker/worker.ts";'],
    ["src/cli/a.ts", 'import { b } from "@temporalio/client";'],
    ["src/worker/a.ts", 'import { b } from "../../workflows/index.ts";'],
    ["src/worker/a.ts", 'import { b } from "../client/connect.ts";'],
    ["src/main/a.ts", 'import { b } from "../../test/helpers.ts";'],
    ["src/main/a.ts", 'import { b } from "../../workflows/index.ts";'],
    ["bin/tempi", 'import "../src/worker/run.ts";'],
  ])("refuses in %s: %s", (path, text) => {
    const found = refused(path, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${path} imports `);
  });

  it.each([
    ["src/agent/a.ts", 'import { b } from "./b.ts"; import { c } from "../schema/c.ts";'],
    ["src/schema/a.ts", 'import { Value } from "@sinclair/typebox/value";'],
    [
      "src/protocol/a.ts",
      'import type { B } from "../agent/messages.ts"; import { defineSignal } from "@temporalio/workflow";',
    ],
    [
      "workflows/session.ts",
      'import type * as activities from "../activities/index.ts"; import "../src/agent/loop.ts";',
    ],
    [
      "activities/model.ts",
      'import { b } from "../src/client/read-history.ts"; import { c } from "../src/tools/bash.ts";',
    ],
    ["src/client/a.ts", 'import type { Home } from "../config/home.ts"; import { b } from "node:net";'],
    ["src/cli/a.ts", 'import { b } from "../agent/events.ts"; import { Command } from "commander";'],
    [
      "src/web/page/views/a.tsx",
      'import type { Me } from "../../api.ts"; import { h } from "preact"; import { b } from "../model/b.ts";',
    ],
    ["src/main/a.ts", 'import { b } from "../server/start.ts"; import { c } from "../cli/program.ts";'],
    ["bin/tempi", 'import { enableCompileCache } from "node:module"; await import("../src/main/cli.ts");'],
    ["test/a.test.ts", 'import { b } from "../workflows/session.ts"; import { c } from "../src/cli/run.ts";'],
  ])("allows in %s: %s", (path, text) => {
    expect(refused(path, text)).toEqual([]);
  });

  it("names file, module and rule", () => {
    expect(refused("src/agent/a.ts", 'import "node:fs";')).toEqual([
      'src/agent/a.ts imports "node:fs": src/agent pure code imports only src/agent, src/schema and TypeBox: no node:*, no @temporalio/*',
    ]);
  });
});
