import type { ProjectFile } from "./project-files.ts";
import { parseFile, type SyntaxNode, walk } from "./syntax.ts";

/** Missing in the workflow sandbox, or not deterministic. Date, Math.random and setTimeout are replaced by the SDK. */
export const forbiddenGlobals = new Set([
  "structuredClone",
  "crypto",
  "Buffer",
  "process",
  "fetch",
  "setInterval",
  "queueMicrotask",
  "atob",
  "performance",
]);

/** Uses of forbidden globals, also as `globalThis.name`. A name the file declares itself is not the global. */
export function checkGlobals(file: ProjectFile): string[] {
  const used = new Set<string>();
  const declared = new Set<string>();
  walk(parseFile(file), (node, parent, field) => {
    if (node.type === "MemberExpression") {
      const object = node.object as SyntaxNode;
      const property = node.property as SyntaxNode;
      if (object.name === "globalThis") used.add(String(property.name ?? property.value));
    } else if (node.type === "ObjectPattern") {
      for (const property of node.properties as SyntaxNode[]) declared.add(nameOf(property.value));
    } else if (node.type === "Identifier") {
      const role = roleOf(parent, field);
      if (role === "declared") declared.add(nameOf(node));
      if (role === "used") used.add(nameOf(node));
    }
  });
  return [...used]
    .filter((name) => forbiddenGlobals.has(name) && !declared.has(name))
    .map((name) => `${file.path} uses ${name}: it does not exist in the workflow sandbox or is not deterministic`);
}

const nameOf = (node: unknown): string => String((node as SyntaxNode | undefined)?.name);

const runsInTypeScript = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSTypeAssertion"]);

/** What an identifier does where it stands: names a value that is used, declares one, or is only a name (key, label, type). */
function roleOf(parent: SyntaxNode | undefined, field: string): "used" | "declared" | "name" {
  const type = parent?.type ?? "";
  const computed = parent?.computed === true;
  if (field === "id" || field === "params" || (field === "local" && type.startsWith("Import"))) return "declared";
  if ((field === "property" || field === "key") && !computed) return "name";
  if (field === "imported" || field === "exported" || field === "label") return "name";
  return type.startsWith("TS") && !runsInTypeScript.has(type) ? "name" : "used";
}
