/** Follows JSON text that comes in pieces, one look at each character, to know when one whole value has come. */
export class JsonScanner {
  #depth = 0;
  #insideString = false;
  #escaped = false;
  #started = false;
  #complete = false;

  /** Anything but white space has come. */
  get started(): boolean {
    return this.#started;
  }

  /** A whole object, array or string has come. */
  get complete(): boolean {
    return this.#complete;
  }

  add(piece: string): void {
    for (const character of piece) {
      if (this.#insideString) this.#addToString(character);
      else this.#addOutside(character);
    }
  }

  #addToString(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === "\\") this.#escaped = true;
    else if (character === '"') {
      this.#insideString = false;
      if (this.#depth === 0) this.#complete = true;
    }
  }

  #addOutside(character: string): void {
    if (character.trim() === "") return;
    this.#started = true;
    if (character === '"') this.#insideString = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") {
      this.#depth--;
      if (this.#depth <= 0) this.#complete = true;
    }
  }
}
