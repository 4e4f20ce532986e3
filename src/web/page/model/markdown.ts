import { marked, type Token, type Tokens } from "marked";
import { visibleText } from "../../../agent/visible-text.ts";
import { highlighted } from "./highlight.ts";
import { safeLink, type Tree, type TreeTag } from "./tree.ts";

/** A block of the document. `raw` tells whether it changed: the same text is the same block. */
export interface MarkdownBlock {
  raw: string;
  tree: Tree;
}

/** Characters from which on the block that still grows is shown without colours. */
const colourWhileGrowing = 4_000;

/** Markdown as blocks of safe trees: HTML stays text, pictures are never loaded, links go to the web only. */
export const markdownBlocks = (text: string): MarkdownBlock[] => new GrowingMarkdown().update(text);

/** Markdown that grows: blocks before the last one are kept as they are, only the last is read again. */
export class GrowingMarkdown {
  #text = "";
  /** Start of the block that may still grow. */
  #settled = 0;
  #blocks: MarkdownBlock[] = [];

  /** @returns all blocks; those that did not change are the same objects. */
  update(whole: string): MarkdownBlock[] {
    const text = visibleText(whole);
    if (!text.startsWith(this.#text)) {
      this.#settled = 0;
      this.#blocks = [];
    }
    this.#text = text;
    const tokens = marked.lexer(text.slice(this.#settled), { gfm: true });
    const last = tokens.findLastIndex((token) => token.type !== "space" && token.type !== "def");
    const fresh: MarkdownBlock[] = [];
    let settledLength = 0;
    tokens.forEach((token, at) => {
      if (at < last) settledLength += token.raw.length;
      if (token.type === "space" || token.type === "def") return;
      fresh.push({ raw: token.raw, tree: blockTree(token, at === last && token.raw.length > colourWhileGrowing) });
    });
    const blocks = [...this.#blocks, ...fresh];
    this.#blocks = blocks.slice(0, -1);
    this.#settled += settledLength;
    return blocks;
  }
}

const references: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/**
 * Text as it comes out of the lexer, which makes characters of references such as `&#8238;`, so that what hides must be made
 * visible once more, and leaves the named ones to a browser's HTML parser.
 */
const plainText = (text: string): string =>
  visibleText(text.replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => references[name]!));

const element = (tag: TreeTag, children: Tree[]): Tree => ({ tag, children });
const trees = (tokens: Token[] | undefined): Tree[] => (tokens ?? []).map(treeOf);

function blockTree(token: Token, plain: boolean): Tree {
  if (token.type === "code" && plain) return codeTree([token.text]);
  return treeOf(token);
}

const codeTree = (children: Tree[]): Tree => element("pre", [element("code", children)]);

function treeOf(token: Token): Tree {
  switch (token.type) {
    case "heading":
      // One level below the page's own headings: which levels a model leaves out must not make holes in the outline.
      return { tag: "h3", className: `depth-${(token as Tokens.Heading).depth}`, children: trees(token.tokens) };
    case "paragraph":
      return element("p", trees(token.tokens));
    case "strong":
    case "em":
    case "del":
    case "blockquote":
      return element(token.type, trees(token.tokens));
    case "code":
      return codeTree(highlighted(token.text, token.lang));
    case "codespan":
      return element("code", [token.text]);
    case "br":
    case "hr":
      return element(token.type, []);
    case "list":
      return listTree(token as Tokens.List);
    case "table":
      return tableTree(token as Tokens.Table);
    case "link":
      return linkTree(token as Tokens.Link);
    case "image":
      return imageTree(token as Tokens.Image);
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑ " : "☐ ";
    case "text":
      return token.tokens ? { tag: "span", children: trees(token.tokens) } : plainText(token.text);
    case "escape":
      return plainText(token.text);
    // Raw HTML and whatever else there may be stands as it was written.
    default:
      return token.raw;
  }
}

function listTree(list: Tokens.List): Tree {
  const children = list.items.map((item) => element("li", trees(item.tokens)));
  if (!list.ordered) return element("ul", children);
  return { tag: "ol", children, ...(typeof list.start === "number" && list.start !== 1 ? { start: list.start } : {}) };
}

function tableTree(table: Tokens.Table): Tree {
  const cell = (tag: "th" | "td") => (one: Tokens.TableCell) => ({
    tag,
    children: trees(one.tokens),
    ...(one.align ? { align: one.align } : {}),
  });
  return element("table", [
    element("thead", [element("tr", table.header.map(cell("th")))]),
    element(
      "tbody",
      table.rows.map((row) => element("tr", row.map(cell("td")))),
    ),
  ]);
}

function linkTree(link: Tokens.Link): Tree {
  const href = safeLink(link.href);
  const children = trees(link.tokens);
  if (href === undefined) return { tag: "span", children: [...children, visibleText(` (${link.href})`)] };
  return { tag: "a", href, children };
}

/** Loading a picture would tell its address to whoever the model names: the words and the address are shown. */
const imageTree = (image: Tokens.Image): Tree => ({
  tag: "span",
  className: "picture",
  children: [visibleText(`[picture: ${image.text || "no description"}] ${image.href}`)],
});
