export type KeyName =
  | "enter"
  | "altEnter"
  | "escape"
  | "ctrlC"
  | "ctrlD"
  | "ctrlL"
  | "ctrlU"
  | "ctrlW"
  | "ctrlZ"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "home"
  | "end"
  | "other";

/** `typed` is one keystroke or several that came at once; `pasted` came between the marks of bracketed paste. */
export type Key = { kind: "typed"; text: string } | { kind: "pasted"; text: string } | { kind: "key"; name: KeyName };

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

const controls: Record<string, KeyName> = {
  "\r": "enter",
  "\n": "enter",
  "\x01": "home",
  "\x02": "left",
  "\x03": "ctrlC",
  "\x04": "ctrlD",
  "\x05": "end",
  "\x06": "right",
  "\x08": "backspace",
  "\x0c": "ctrlL",
  "\x15": "ctrlU",
  "\x17": "ctrlW",
  "\x1a": "ctrlZ",
  "\x7f": "backspace",
};

/** Final part of an escape sequence → key. CSI u and modifyOtherKeys name Alt-Enter too. */
const sequences: Record<string, KeyName> = {
  "[C": "right",
  "[D": "left",
  OC: "right",
  OD: "left",
  "[H": "home",
  "[F": "end",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[4~": "end",
  "[3~": "delete",
  "[13;3u": "altEnter",
  "[27;3;13~": "altEnter",
};

const csi = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])/;
const unfinished = /^\x1b(?:$|O$|\[[0-?]*[ -/]*$)/;

/** Turns what a terminal sends in raw mode into keys. `flush` settles a lone Esc when nothing followed in time. */
export class KeyDecoder {
  private buffer = "";
  private pasting = false;

  get waiting(): boolean {
    return this.buffer !== "" && !this.pasting;
  }

  push(chunk: string): Key[] {
    this.buffer += chunk;
    return this.drain(false);
  }

  flush(): Key[] {
    return this.drain(true);
  }

  private drain(final: boolean): Key[] {
    const keys: Key[] = [];
    while (this.buffer !== "") {
      const key = this.pasting ? this.paste() : this.one(final);
      if (key === undefined) break;
      if (key !== "none") keys.push(key);
    }
    return keys;
  }

  private paste(): Key | undefined {
    const end = this.buffer.indexOf(pasteEnd);
    if (end < 0) return undefined;
    const text = this.buffer.slice(0, end);
    this.buffer = this.buffer.slice(end + pasteEnd.length);
    this.pasting = false;
    return { kind: "pasted", text: text.replace(/\r\n?/g, "\n") };
  }

  private one(final: boolean): Key | "none" | undefined {
    const { buffer } = this;
    if (buffer.startsWith(pasteStart)) {
      this.buffer = buffer.slice(pasteStart.length);
      this.pasting = true;
      return "none";
    }
    if (buffer.startsWith("\x1b")) return this.escape(final);
    const control = controls[buffer[0]!];
    if (control !== undefined || buffer[0]! < " ") {
      this.buffer = buffer.slice(1);
      return { kind: "key", name: control ?? "other" };
    }
    const text = /^[^\x00-\x1f\x7f]+/.exec(buffer)![0];
    this.buffer = buffer.slice(text.length);
    return { kind: "typed", text };
  }

  private escape(final: boolean): Key | undefined {
    const sequence = csi.exec(this.buffer)?.[0];
    if (sequence !== undefined) {
      this.buffer = this.buffer.slice(sequence.length);
      return { kind: "key", name: sequences[sequence.slice(1)] ?? "other" };
    }
    if (!final && unfinished.test(this.buffer)) return undefined;
    if (/^\x1b[\r\n]/.test(this.buffer)) {
      this.buffer = this.buffer.slice(2);
      return { kind: "key", name: "altEnter" };
    }
    this.buffer = this.buffer.slice(1);
    return { kind: "key", name: "escape" };
  }
}
