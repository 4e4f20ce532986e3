/**
 * A piece of the page as data: made without a DOM, so that tests read it, and turned into elements by `views/tree.tsx`
 * alone. There is no way to put HTML text into it.
 */
export interface TreeElement {
  tag: TreeTag;
  className?: string;
  /** Only for `a`; checked by `safeLink`. */
  href?: string;
  /** Only for `th` and `td`. */
  align?: "center" | "left" | "right";
  /** Only for `ol`. */
  start?: number;
  children: Tree[];
}

export type Tree = string | TreeElement;

/** Closed list: nothing here loads anything by itself. */
export type TreeTag =
  | "a"
  | "blockquote"
  | "br"
  | "code"
  | "del"
  | "em"
  | "h3"
  | "hr"
  | "li"
  | "ol"
  | "p"
  | "pre"
  | "span"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

/** The address if a person may be sent there; everything but http, https and mailto is refused, and relative ones too. */
export function safeLink(href: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return undefined;
  return URL.canParse(href) ? href : undefined;
}
