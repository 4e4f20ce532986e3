/** How a stream shows things. `width` is Infinity where lines are not wrapped. */
export interface Look {
  width: number;
  colour: boolean;
  unicode: boolean;
}

/** What `lookOf` needs to know of a stream. */
export interface OutputShape {
  isTTY?: boolean;
  columns?: number;
}

export function lookOf(stream: OutputShape, environment: NodeJS.ProcessEnv): Look {
  return {
    width: stream.isTTY ? Math.max(10, stream.columns || Number(environment.COLUMNS) || 80) : Number.POSITIVE_INFINITY,
    colour: wantsColour(stream, environment),
    unicode: speaksUtf8(environment),
  };
}

function wantsColour(stream: OutputShape, environment: NodeJS.ProcessEnv): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== "0";
  return Boolean(stream.isTTY) && environment.TERM !== "dumb";
}

function speaksUtf8(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  // A macOS terminal without locale variables still speaks UTF-8.
  if (!locale) return process.platform === "darwin";
  return /utf-?8/i.test(locale);
}

const unicodeSigns = {
  running: "●",
  done: "✓",
  failed: "✗",
  asks: "?",
  none: "○",
  dot: "·",
  ellipsis: "…",
  prompt: "›",
  times: "×",
  minus: "−",
  bar: "│",
  rule: "─",
  bullet: "•",
  arrow: "→",
};

const asciiSigns: Record<keyof typeof unicodeSigns, string> = {
  running: "*",
  done: "+",
  failed: "x",
  asks: "?",
  none: "-",
  dot: "-",
  ellipsis: "...",
  prompt: ">",
  times: "x",
  minus: "-",
  bar: "|",
  rule: "-",
  bullet: "*",
  arrow: "->",
};

export type Signs = typeof unicodeSigns;

/** Signs of our own; text of models and tools is never changed by them. */
export const signsOf = (look: Look): Signs => (look.unicode ? unicodeSigns : asciiSigns);
