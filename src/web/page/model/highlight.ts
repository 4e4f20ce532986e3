import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { Tree } from "./tree.ts";

const languages = { bash, css, diff, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

/** Characters above which code stays plain: the cost must not be felt while reading. */
const mostCharacters = 20_000;

interface Scope {
  scope?: string;
  children: (Scope | string)[];
}

/** Code as coloured spans; plain text where the language is unknown or the code is long. */
export function highlighted(code: string, language: string | undefined): Tree[] {
  const name = language?.toLowerCase().split(/[\s,{:]/)[0] ?? "";
  if (code.length > mostCharacters || !highlighter.getLanguage(name)) return [code];
  const result = highlighter.highlight(code, { language: name, ignoreIllegals: true });
  // The token tree is what its own HTML is made from; the HTML itself is never used.
  const root = (result._emitter as unknown as { rootNode: Scope }).rootNode;
  return root.children.map(spanOf);
}

function spanOf(node: Scope | string): Tree {
  if (typeof node === "string") return node;
  const children = node.children.map(spanOf);
  return { tag: "span", className: `hl-${(node.scope ?? "none").split(/[.:]/)[0]}`, children };
}
