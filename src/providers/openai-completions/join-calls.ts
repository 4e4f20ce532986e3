/** Joins the pieces of tool calls, whatever a host does with index, id and name (cases 10–16). */
import { isJsonObject } from "../../schema/json-value.ts";
import { JsonScanner } from "./json-scanner.ts";

export interface OpenCall {
  /** Place of the block in the message. */
  block: number;
  id: string;
  name: string;
  pieces: string[];
  /** Characters of all pieces. */
  length: number;
  scanner: JsonScanner;
  thoughtSignature?: string;
}

interface Piece {
  index: number | undefined;
  id: string;
  name: string;
  text: string;
  /** The arguments came as a whole object instead of text. */
  isObject: boolean;
  thoughtSignature: string | undefined;
}

const textField = (value: unknown): string => (typeof value === "string" ? value : "");

/** Some hosts write the number as text. */
const indexOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : value;
  return typeof number === "number" ? number : undefined;
};

function readPiece(raw: Record<string, unknown>): Piece {
  const call = isJsonObject(raw.function) ? raw.function : raw;
  const given = call.arguments ?? raw.arguments;
  const isObject = given !== undefined && given !== null && typeof given !== "string";
  const extra =
    isJsonObject(raw.extra_content) && isJsonObject(raw.extra_content.google) ? raw.extra_content.google : {};
  return {
    index: indexOf(raw.index),
    id: textField(raw.id),
    name: textField(call.name) || textField(raw.name),
    text: isObject ? JSON.stringify(given) : textField(given),
    isObject,
    thoughtSignature: textField(extra.thought_signature) || undefined,
  };
}

export class CallJoiner {
  readonly calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();

  /** Adds one entry of `delta.tool_calls`; `newBlock` gives the place of a call that begins. Returns the call and its new text. */
  add(raw: Record<string, unknown>, newBlock: () => number): { call: OpenCall; text: string } {
    const piece = readPiece(raw);
    const open = this.#find(piece);
    const call = open ?? this.#begin(newBlock());
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call);
    if (piece.id !== "") {
      if (call.id === "") call.id = piece.id;
      this.#byId.set(piece.id, call);
    }
    if (call.name === "") call.name = piece.name;
    if (piece.thoughtSignature) call.thoughtSignature = piece.thoughtSignature;
    if (open && isRepetition(open, piece)) return { call, text: "" };
    if (piece.text !== "") {
      call.pieces.push(piece.text);
      call.length += piece.text.length;
      call.scanner.add(piece.text);
    }
    return { call, text: piece.text };
  }

  #begin(block: number): OpenCall {
    const call: OpenCall = { block, id: "", name: "", pieces: [], length: 0, scanner: new JsonScanner() };
    this.calls.push(call);
    return call;
  }

  /** The call that the piece continues; undefined = it begins one. */
  #find(piece: Piece): OpenCall | undefined {
    const last = this.calls.at(-1);
    if (piece.index !== undefined) {
      const sameIndex = this.#byIndex.get(piece.index);
      if (sameIndex) return beginsAnother(sameIndex, piece) ? undefined : sameIndex;
      // A wrong index on the rest of a call: it has no name, and the call before it is not finished.
      const isRest = piece.name === "" && (piece.id === "" || this.#byId.has(piece.id));
      return isRest && last && !last.scanner.complete ? (this.#byId.get(piece.id) ?? last) : undefined;
    }
    if (piece.id !== "") {
      const sameId = this.#byId.get(piece.id);
      if (sameId) return beginsAnother(sameId, piece) ? undefined : sameId;
      // A new id begins a call, unless a gateway changed it in the middle: no name, and the call is not finished.
      return piece.name === "" && last && !last.scanner.complete ? last : undefined;
    }
    if (piece.name === "" || !last) return last;
    if (last.name === "") return last;
    if (last.name !== piece.name || last.scanner.complete)
      return isBlank(piece) && last.name === piece.name ? last : undefined;
    // The name repeated on every piece; two calls without any arguments are two.
    return last.scanner.started || !isBlank(piece) ? last : undefined;
  }
}

const isBlank = (piece: Piece): boolean => piece.text.trim() === "";

/** Whether a piece with the index or id of `call` is yet another call. */
function beginsAnother(call: OpenCall, piece: Piece): boolean {
  const newId = piece.id !== "" && call.id !== "" && piece.id !== call.id;
  if (call.scanner.complete) {
    if (newId) return piece.name !== "" || !isBlank(piece);
    return piece.name !== "" && !isBlank(piece) && !isRepetition(call, piece);
  }
  if (piece.name === "" || call.name === "") return false;
  // Not begun and yet another id and name: a call without arguments stood before. In the middle of the text only a
  // gateway that changes ids does that.
  return !call.scanner.started && (newId || piece.name !== call.name);
}

/** The whole call sent once more at the end, as some hosts do: same id, same text. */
function isRepetition(call: OpenCall, piece: Piece): boolean {
  if (!call.scanner.complete || isBlank(piece) || (piece.id !== "" && piece.id !== call.id)) return false;
  // The length first: joining is work, and would be done for each piece of a host that goes on after the end.
  if (call.id === "" || piece.id !== call.id || piece.text.length !== call.length) return false;
  return call.pieces.length > 1 && piece.text === call.pieces.join("");
}
