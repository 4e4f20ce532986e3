import { parseSync } from "vite";
import type { ProjectFile } from "./project-files.ts";

export interface SyntaxNode {
  type: string;
  [field: string]: unknown;
}

export function parseFile(file: ProjectFile): SyntaxNode {
  const name = /\.\w+$/.test(file.path) ? file.path : `${file.path}.ts`;
  const { program, errors } = parseSync(name, file.text);
  const first = errors[0];
  if (first) throw new Error(`${file.path} is not valid TypeScript: ${first.message}`);
  return program as unknown as SyntaxNode;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** Calls `visit` for each node, parents first, with the parent and the field of the parent that holds the node. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined, field: string) => void,
  parent?: SyntaxNode,
  field = "",
): void {
  visit(node, parent, field);
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, node, key);
    }
  }
}
