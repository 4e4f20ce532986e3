import type { LiveBlock, LiveFrame } from "./live.ts";

export interface LiveTextBlock {
  kind: LiveBlock["kind"];
  name?: string;
  text: string;
  /** Characters of the block before `text` that are not known: they were gone when watching began, or were lost. */
  offset: number;
}

/** What a frame added to a block; `reset`: the text before is void. */
export interface LiveDelta {
  index: number;
  kind: LiveBlock["kind"];
  name?: string;
  delta: string;
  reset: boolean;
}

interface LiveSource {
  attempt: number;
  blocks: Map<number, LiveTextBlock>;
}

/** Growing text per source, put together from frames that may be lost, repeated or of an older attempt. */
export class LiveText {
  private readonly sources = new Map<string, LiveSource>();

  take(frame: LiveFrame): LiveDelta[] {
    let source = this.sources.get(frame.source);
    if (source !== undefined && frame.attempt < source.attempt) return [];
    const restarted = source !== undefined && frame.attempt > source.attempt;
    if (source === undefined || restarted) {
      source = { attempt: frame.attempt, blocks: new Map() };
      this.sources.set(frame.source, source);
    }
    const { blocks } = source;
    return frame.blocks.flatMap((block) => {
      const { text: before, offset: start } = blocks.get(block.index) ?? { text: "", offset: 0 };
      // Not what the frame builds on: something was lost, what is left is the tail.
      const lost = block.offset < start || start + before.length < block.offset;
      const text = lost ? block.tail : before.slice(0, block.offset - start) + block.tail;
      if (text === before) return [];
      const offset = lost ? block.offset : start;
      const name = block.name === undefined ? {} : { name: block.name };
      blocks.set(block.index, { kind: block.kind, text, offset, ...name });
      const grew = !restarted && !lost && text.startsWith(before);
      return [
        {
          index: block.index,
          kind: block.kind,
          ...(block.name === undefined ? {} : { name: block.name }),
          delta: grew ? text.slice(before.length) : text,
          reset: !grew,
        },
      ];
    });
  }

  /** Blocks of a source in order. */
  blocks(source: string): LiveTextBlock[] {
    const found = this.sources.get(source);
    if (found === undefined) return [];
    return [...found.blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
  }

  /** All of a source as one frame, for who comes late; undefined for an unknown one. */
  whole(source: string): Pick<LiveFrame, "source" | "attempt" | "blocks"> | undefined {
    const found = this.sources.get(source);
    if (found === undefined) return undefined;
    const blocks = [...found.blocks]
      .sort(([a], [b]) => a - b)
      .map(([index, { text, ...block }]) => ({ index, ...block, tail: text }));
    return { source, attempt: found.attempt, blocks };
  }

  names(): string[] {
    return [...this.sources.keys()];
  }

  drop(source: string): void {
    this.sources.delete(source);
  }
}

/** Turn of a model's source; undefined for a call's. */
export const turnOfSource = (source: string): number | undefined =>
  source.startsWith("model:") ? Number(source.slice("model:".length)) : undefined;
