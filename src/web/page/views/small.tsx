import { Component, type ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { age } from "../../../agent/format.ts";
import { readableText } from "../model/parts.ts";
import { type SignState, signs, signWords } from "../model/signs.ts";
import { now } from "../state/clock.ts";

/** A state's glyph, with its word for whoever does not see it. */
export const Sign = ({ state, words }: { state: SignState; words?: string }) => (
  <span class={`sign sign-${state}`}>
    <span aria-hidden="true">{signs[state]}</span>
    <span class="only-read"> {words ?? signWords[state]} </span>
  </span>
);

/** How long something is ago, kept up to date. */
export const Age = ({ since }: { since: number }) => <span class="age">{age(now.value - since)}</span>;

/** A line of foreign text: nothing in it acts or hides. */
export const Line = ({ text }: { text: string }) => <>{readableText(text).replaceAll("\n", " ⏎ ")}</>;

/** Draws its children anew only when `of` is another object: rows do not change in place. */
export class Unchanged extends Component<{ of: unknown; children: ComponentChildren }> {
  override shouldComponentUpdate(next: { of: unknown }): boolean {
    return next.of !== this.props.of;
  }
  override render() {
    return this.props.children;
  }
}

/** A command that is meant to be copied. */
export function CopyText({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const shown = useRef<HTMLElement>(null);
  const copy = async () => {
    setCopied(await copyText(text, shown.current));
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <span class="copy">
      <code ref={shown}>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy: ${text}`}>
        {copied ? "copied" : "copy"}
      </button>
    </span>
  );
}

/** The clipboard needs a secure context; elsewhere the text is selected, which is one key away from copied. */
async function copyText(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}

export const Problem = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      <Sign state="failed" words="problem" />
      {text}
    </p>
  );
