import type { ProjectFile } from "./project-files.ts";
import { parseFile, type SyntaxNode, walk } from "./syntax.ts";

/** One mention of another module. `specifier` is absent where it is computed. */
export interface ModuleReference {
  specifier?: string;
  /** `type`: nothing of it is left at run time. `import { type A }` is a value: it still loads the module. */
  kind: "value" | "type";
}

/** Every static import, `export … from`, `import()`, `require()` and `import("…")` in a type. */
export function moduleReferences(file: ProjectFile): ModuleReference[] {
  const found: ModuleReference[] = [];
  walk(parseFile(file), (node) => {
    if (["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration"].includes(node.type)) {
      if (node.source) {
        found.push(reference(node.source, (node.importKind ?? node.exportKind) === "type" ? "type" : "value"));
      }
    } else if (node.type === "ImportExpression") {
      found.push(reference(node.source, "value"));
    } else if (node.type === "TSImportType") {
      found.push(reference(node.source, "type"));
    } else if (node.type === "TSExternalModuleReference") {
      found.push(reference(node.expression, "value"));
    } else if (node.type === "CallExpression" && isRequire(node.callee)) {
      found.push(reference((node.arguments as unknown[])[0], "value"));
    }
  });
  return found;
}

const isRequire = (callee: unknown): boolean => {
  const node = callee as SyntaxNode;
  return node.type === "Identifier" && node.name === "require";
};

function reference(source: unknown, kind: ModuleReference["kind"]): ModuleReference {
  const specifier = literalText(source);
  return specifier === undefined ? { kind } : { specifier, kind };
}

function literalText(source: unknown): string | undefined {
  const node = source as SyntaxNode | undefined;
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  const quasis = node?.type === "TemplateLiteral" ? (node.quasis as { value: { cooked: string } }[]) : [];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}
