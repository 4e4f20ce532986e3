import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./project-files.ts";

interface PackageFile {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
const packageFile = JSON.parse(read("package.json")) as PackageFile;
const { dependencies, devDependencies, optionalDependencies } = packageFile;

describe("A1: the card", () => {
  it("has the top level", () => {
    const names = ["src", "workflows", "activities", "test", "package.json", "tsconfig.json", "docker-compose.yml"];
    expect(names.filter((name) => !existsSync(join(repositoryRoot, name)))).toEqual([]);
  });

  it("uses the named packages", () => {
    expect(Object.keys(dependencies)).toEqual(
      expect.arrayContaining([
        "@temporalio/client",
        "@temporalio/worker",
        "@temporalio/workflow",
        "@temporalio/activity",
        "@sinclair/typebox",
        "openai",
      ]),
    );
    expect(devDependencies).toHaveProperty("vitest");
  });

  it("pins every package exactly, and all of Temporal to one version", () => {
    const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    const temporal = all.filter(([name]) => name.startsWith("@temporalio/")).map(([, version]) => version);
    expect(new Set(temporal).size).toBe(1);
  });

  it("installs one copy of each Temporal package: two would not know each other's classes", () => {
    const locked = Object.keys((JSON.parse(read("package-lock.json")) as { packages: object }).packages);
    expect(locked.filter((path) => /node_modules\/.*node_modules\/@temporalio\//.test(path))).toEqual([]);
  });

  it("installs one protobufjs 8, for the same reason: replay of a history file needs it", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version?: string }> };
    const copies = Object.entries(packages).filter(
      ([path, { version }]) => path.endsWith("node_modules/protobufjs") && version?.startsWith("8."),
    );
    expect(copies).toHaveLength(1);
  });
});
