import { type ComponentChildren, h } from "preact";
import { useRef } from "preact/hooks";
import { GrowingMarkdown } from "../model/markdown.ts";
import type { Tree } from "../model/tree.ts";
import { Unchanged } from "./small.tsx";

/** Elements of a tree: the only place where foreign text becomes elements, and only those of the closed list. */
function elementsOf(tree: Tree): ComponentChildren {
  if (typeof tree === "string") return tree;
  const { tag, className, href, align, start, children } = tree;
  const attributes = {
    ...(className === undefined ? {} : { class: className }),
    ...(href === undefined ? {} : { href, target: "_blank", rel: "noopener noreferrer" }),
    ...(align === undefined ? {} : { class: `align-${align}` }),
    ...(start === undefined ? {} : { start }),
  };
  const element = h(tag, attributes, ...children.map(elementsOf));
  return tag === "table" || tag === "pre" ? <div class="wide">{element}</div> : element;
}

/** Markdown that may still grow: only the block that changed is drawn again. */
export function Markdown({ text }: { text: string }) {
  const growing = useRef<GrowingMarkdown>(null);
  growing.current ??= new GrowingMarkdown();
  return (
    <div class="markdown">
      {growing.current.update(text).map((block, at) => (
        <Unchanged key={at} of={block}>
          {elementsOf(block.tree)}
        </Unchanged>
      ))}
    </div>
  );
}
