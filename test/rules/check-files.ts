import type { ProjectFile } from "./project-files.ts";
import { parseFile, type SyntaxNode, walk } from "./syntax.ts";

const longest = [
  { folder: /^(src|workflows|activities)\//, lines: 300 },
  { folder: /^test\//, lines: 500 },
];

export function checkLength(file: ProjectFile): string[] {
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  const limit = longest.find(({ folder }) => folder.test(file.path))?.lines;
  return limit !== undefined && lines > limit
    ? [`${file.path} has ${lines} lines: a file does one job and has at most ${limit}`]
    : [];
}

/** Names are exported one by one: what a module offers can be read in it. */
export function checkExports(file: ProjectFile): string[] {
  const found: string[] = [];
  const defaultAllowed = /^([^/]+\.config\.ts|examples\/.+)$/.test(file.path);
  walk(parseFile(file), (node) => {
    if (node.type === "ExportAllDeclaration") {
      found.push(`${file.path} has "export *": export names one by one`);
    } else if (exportsDefault(node) && !defaultAllowed) {
      found.push(`${file.path} has a default export: only *.config.ts may`);
    }
  });
  return found;
}

function exportsDefault(node: SyntaxNode): boolean {
  if (node.type === "ExportDefaultDeclaration") return true;
  const exported = node.type === "ExportSpecifier" ? (node.exported as SyntaxNode) : undefined;
  return exported !== undefined && (exported.name ?? exported.value) === "default";
}

export interface PrivateText {
  what: string;
  text: string;
}

// In pieces, so that this file does not hold what it forbids.
const registryHosts = [
  ["registry", "npmjs", "org"],
  ["registry", "yarnpkg", "com"],
  ["pypi", "org"],
  ["files", "pythonhosted", "org"],
  ["deb", "debian", "org"],
  ["proxy", "golang", "org"],
].map((parts) => parts.join("."));

/** Texts that must stand in no file: hosts of package registries, also this machine's own, and paths of this machine. */
export function privateTexts(root: string, home: string, environment: NodeJS.ProcessEnv): PrivateText[] {
  const configured = ["npm_config_registry", "NPM_CONFIG_REGISTRY", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "GOPROXY"]
    .flatMap((name) => (environment[name] ?? "").split(/[\s,|]+/))
    .flatMap((address) => (URL.canParse(address) ? [new URL(address)] : []))
    .map((address) => (/^(localhost|127\.|\[)/.test(address.hostname) ? address.host : address.hostname))
    .filter((host) => host.includes(".") || host.includes(":"));
  const folders = [root, home]
    .map((folder) => folder.replace(/\/+$/, ""))
    // `/app` or `/src` would also fit paths that belong to images and fixtures.
    .filter((folder, index) => folder !== "" && (index === 1 || folder.split("/").length > 2));
  return [
    ...[...new Set([...registryHosts, ...configured])].map((text) => ({ what: "the host of a registry", text })),
    ...[...new Set(folders)].map((text) => ({ what: "a path of this machine", text: `${text}/` })),
  ];
}

export function checkPrivateTexts(file: ProjectFile, texts: readonly PrivateText[]): string[] {
  return file.text
    .split("\n")
    .flatMap((line, index) =>
      texts
        .filter(({ text }) => line.includes(text))
        .map(({ what, text }) => `${file.path}:${index + 1} holds ${what} ("${text}"): it is nobody else's`),
    );
}
