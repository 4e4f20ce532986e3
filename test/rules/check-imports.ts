import { builtinModules } from "node:module";
import { posix } from "node:path";
import type { ImportRow } from "./import-table.ts";
import { type ModuleReference, moduleReferences } from "./module-references.ts";
import type { ProjectFile } from "./project-files.ts";

/** Violations of the table in one file, each as `file imports module: rule`. */
export function checkImports(file: ProjectFile, table: readonly ImportRow[]): string[] {
  const row = rowOf(file.path, table);
  if (!row) return [];
  return moduleReferences(file)
    .filter((reference) => !allowed(file.path, reference, row))
    .map(({ specifier, kind }) => {
      const what = specifier === undefined ? "a module with a computed name" : `"${specifier}"`;
      return `${file.path} imports ${kind === "type" ? "types of " : ""}${what}: ${row.from} ${row.rule}`;
    });
}

function rowOf(path: string, table: readonly ImportRow[]): ImportRow | undefined {
  return table.filter((row) => within(path, row.from)).sort((a, b) => b.from.length - a.from.length)[0];
}

function allowed(path: string, { specifier, kind }: ModuleReference, row: ImportRow): boolean {
  // Code that is bundled or pure cannot load by a computed name; elsewhere it is how extensions are loaded.
  if (specifier === undefined) return row.node;
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier);
    const targets = [row.from, ...row.values, ...(kind === "type" ? (row.types ?? []) : [])];
    return targets.some((folder) => within(target, folder));
  }
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) return row.node;
  const name = packageName(specifier);
  if (row.packages === "all") return true;
  if (row.packages === "all but Temporal") return !name.startsWith("@temporalio/");
  return row.packages.includes(name);
}

const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Whether `path` is the folder, lies in it, or is the file that `folder` names without its ending. */
const within = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`) || path.replace(/\.[cm]?[jt]sx?$/, "") === folder;
