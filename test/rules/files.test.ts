import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { checkExports, checkLength, checkPrivateTexts, privateTexts } from "./check-files.ts";
import { isSource, projectFiles, repositoryRoot } from "./project-files.ts";

describe("the project", () => {
  const files = projectFiles();

  it("has no file that is too long", () => {
    expect(files.filter(({ path }) => isSource(path)).flatMap(checkLength)).toEqual([]);
  });

  it("exports by name", () => {
    expect(files.filter(({ path }) => isSource(path)).flatMap(checkExports)).toEqual([]);
  });

  it("names no registry and no path of this machine", () => {
    const texts = privateTexts(repositoryRoot, homedir(), process.env);
    expect(files.flatMap((file) => checkPrivateTexts(file, texts))).toEqual([]);
  });
});

describe("checkLength", () => {
  const lines = (count: number) => "x;\n".repeat(count);

  it("allows 300 lines of source and 500 of test", () => {
    for (const path of ["src/a/b.ts", "workflows/a.ts", "activities/a.ts"]) {
      expect(checkLength({ path, text: lines(300) })).toEqual([]);
      expect(checkLength({ path, text: lines(301) })).toEqual([
        `${path} has 301 lines: a file does one job and has at most 300`,
      ]);
    }
    expect(checkLength({ path: "test/a.test.ts", text: lines(500) })).toEqual([]);
    expect(checkLength({ path: "test/a.test.ts", text: lines(501) })).toHaveLength(1);
  });
});

describe("checkExports", () => {
  it.each(["export default 1;", "const a = 1; export { a as default };", 'export { default } from "m";'])(
    "refuses %s",
    (text) => {
      expect(checkExports({ path: "src/a/b.ts", text })).toEqual([
        "src/a/b.ts has a default export: only *.config.ts may",
      ]);
      expect(checkExports({ path: "made-up.config.ts", text })).toEqual([]);
    },
  );

  it.each(['export * from "m";', 'export * as m from "m";', 'export type * from "m";'])("refuses %s", (text) => {
    expect(checkExports({ path: "src/a/b.ts", text })).toEqual(['src/a/b.ts has "export *": export names one by one']);
  });

  it("allows named exports", () => {
    expect(checkExports({ path: "src/a/b.ts", text: 'export const a = 1; export { b } from "m";' })).toEqual([]);
  });
});

describe("checkPrivateTexts", () => {
  const npm = ["registry", "npmjs", "org"].join(".");
  const found = (text: string, environment: NodeJS.ProcessEnv = {}) =>
    checkPrivateTexts({ path: "a.md", text }, privateTexts("/srv/checkout/", "/made-up-home", environment));

  it("refuses registries, the checkout and the home folder, with the line", () => {
    expect(found(`first\nhttps://${npm}/x`)).toEqual([
      `a.md:2 holds the host of a registry ("${npm}"): it is nobody else's`,
    ]);
    expect(found("/srv/checkout/src")).toHaveLength(1);
    expect(found("/made-up-home/notes")).toHaveLength(1);
  });

  it("refuses the registries this machine is set to", () => {
    expect(found("see mirror.example", { npm_config_registry: "https://npm.mirror.example/" })).toEqual([]);
    expect(found("see npm.mirror.example/npm", { npm_config_registry: "https://npm.mirror.example/" })).toHaveLength(1);
    expect(found("127.0.0.1:4873", { npm_config_registry: "http://127.0.0.1:4873/" })).toHaveLength(1);
    expect(found("127.0.0.1:7233", { npm_config_registry: "http://127.0.0.1:4873/" })).toEqual([]);
  });

  it("leaves other texts alone", () => {
    expect(found("/app/bin, /srv/other, /made-up-home2, npmjs")).toEqual([]);
  });

  it("takes a checkout directly below the root for no path of a machine", () => {
    const texts = privateTexts("/app", "/made-up-home", {});
    expect(checkPrivateTexts({ path: "Dockerfile", text: "WORKDIR /app/x" }, texts)).toEqual([]);
  });
});
