// Pure unit tests: what a terminal sends, as keys, and what keys mean.
import { expect, test } from "vitest";
import { Interaction } from "../../../src/cli/follow/interaction.ts";
import { type Key, KeyDecoder } from "../../../src/cli/follow/keys.ts";
import { testApproval } from "../../support/fake-session-client.ts";

const keysOf = (...chunks: string[]): Key[] => {
  const decoder = new KeyDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()];
};
const names = (keys: Key[]): string[] => keys.map((key) => (key.kind === "key" ? key.name : `${key.kind}:${key.text}`));

test.each([
  ["a lone Esc", ["\x1b"], ["escape"]],
  ["Esc before a letter is Esc and the letter", ["\x1by"], ["escape", "typed:y"]],
  ["Alt-Enter", ["\x1b\r"], ["altEnter"]],
  ["Alt-Enter in two pieces", ["\x1b", "\r"], ["altEnter"]],
  ["Alt-Enter as CSI u", ["\x1b[13;3u"], ["altEnter"]],
  ["arrows in pieces", ["\x1b[", "C", "\x1bOD"], ["right", "left"]],
  ["unknown sequences do nothing", ["\x1b[5;7~", "\x1b[I"], ["other", "other"]],
  ["paste keeps its newlines", ["\x1b[200~y\r\nn\r\x1b[2J", "\x1b[201~z"], ["pasted:y\nn\n\x1b[2J", "typed:z"]],
  ["control keys", ["\x03\x04\x15\x7f\r"], ["ctrlC", "ctrlD", "ctrlU", "backspace", "enter"]],
  ["letters that come at once are one", ["yes"], ["typed:yes"]],
])("%s", (_name, chunks, expected) => expect(names(keysOf(...chunks))).toEqual(expected));

const typed = (text: string): Key => ({ kind: "typed", text });
const key = (name: Extract<Key, { kind: "key" }>["name"]): Key => ({ kind: "key", name });

function atCard(changes: Parameters<typeof testApproval>[0] = {}, hiddenRows = 0): Interaction {
  const interaction = new Interaction();
  interaction.setCard(testApproval(changes));
  interaction.drawn(hiddenRows, 0);
  return interaction;
}

test("Ctrl-C once says how to leave and stop, twice leaves, another key between starts anew", () => {
  const interaction = new Interaction();
  expect(interaction.press(key("ctrlC"), 0).kind).toBe("leaveHint");
  expect(interaction.press(typed("x"), 0).kind).toBe("none");
  expect(interaction.press(key("ctrlC"), 0).kind).toBe("leaveHint");
  expect(interaction.press(key("ctrlC"), 0).kind).toBe("leave");
});

test("Ctrl-D leaves with an empty line only; Esc clears the line first and then stops the turn", () => {
  const interaction = new Interaction();
  interaction.press(typed("hello"), 0);
  expect(interaction.press(key("ctrlD"), 0).kind).toBe("none");
  expect(interaction.press(key("escape"), 0).kind).toBe("none");
  expect(interaction.editor.empty).toBe(true);
  expect(interaction.press(key("escape"), 0).kind).toBe("stopTurn");
  expect(interaction.press(key("ctrlD"), 0).kind).toBe("leave");
});

test("Enter steers, Alt-Enter queues a follow-up", () => {
  const interaction = new Interaction();
  interaction.press(typed("do x"), 0);
  expect(interaction.press(key("enter"), 0)).toEqual({ kind: "send", text: "do x", delivery: "steer" });
  interaction.press({ kind: "pasted", text: "a\nb" }, 0);
  expect(interaction.press(key("altEnter"), 0)).toEqual({ kind: "send", text: "a\nb", delivery: "followUp" });
  expect(interaction.press(key("enter"), 0).kind).toBe("none");
});

test.each([
  ["y", { kind: "decide", decision: "allow" }],
  ["a", { kind: "decide", decision: "allow", remember: "session" }],
  ["n", { kind: "decide", decision: "deny" }],
])("%s answers a card that stood for 700 ms", (letter, expected) => {
  expect(atCard().press(typed(letter), 700)).toMatchObject(expected);
});

test.each([0, 200, 699])("nothing answers a card after %d ms: the key goes into the line (T03)", (now) => {
  const interaction = atCard();
  expect(interaction.press(typed("y"), now).kind).toBe("none");
  expect(interaction.editor.text).toBe("y");
  // A second one right behind it neither: it may be a word.
  expect(interaction.press(typed("y"), now + 500).kind).toBe("none");
});

test("a stray early key is dropped after a pause, and the card takes keys again", () => {
  const interaction = atCard();
  interaction.press(typed("y"), 200);
  interaction.drawn(0, 899);
  expect(interaction.editor.text).toBe("y");
  interaction.drawn(0, 900);
  expect(interaction.editor.empty).toBe(true);
  expect(interaction.press(typed("n"), 950)).toMatchObject({ kind: "decide", decision: "deny" });
  // Also where nothing was drawn meanwhile, as in `approve`.
  const other = atCard();
  other.press(typed("x"), 300);
  expect(other.press(typed("y"), 1_500)).toMatchObject({ kind: "decide", decision: "allow" });
});

test("a message begun right after a card came stays: its later letters answer nothing", () => {
  const interaction = atCard();
  for (const [at, letter] of [..."run it"].entries()) {
    expect(interaction.press(typed(letter), 300 + at * 200).kind).toBe("none");
  }
  interaction.drawn(0, 9_000);
  expect(interaction.editor.text).toBe("run it");
  expect(interaction.press(typed("y"), 9_000).kind).toBe("none");
  expect(interaction.press(key("enter"), 9_100)).toMatchObject({ kind: "send", text: "run ity" });
});

test("text that stood there before the card is kept, and so is what was pasted", () => {
  const before = new Interaction();
  before.press(typed("no"), 0);
  before.setCard(testApproval());
  before.drawn(0, 100);
  before.press(typed("t"), 200);
  before.drawn(0, 5_000);
  expect(before.editor.text).toBe("not");
  const pasted = atCard();
  pasted.press({ kind: "pasted", text: "n" }, 200);
  pasted.drawn(0, 5_000);
  expect(pasted.editor.text).toBe("n");
});

test("an early letter with Enter behind it is no message", () => {
  const interaction = atCard();
  interaction.press(typed("y"), 200);
  expect(interaction.press(key("enter"), 300)).toMatchObject({ kind: "hint" });
  expect(interaction.editor.empty).toBe(true);
});

test("Enter, Space, paste, several letters at once and Ctrl-C never answer (T03)", () => {
  for (const press of [
    key("enter"),
    typed(" "),
    { kind: "pasted", text: "y" } as Key,
    typed("yy"),
    key("ctrlC"),
    key("tab" as "other"),
  ]) {
    expect(atCard().press(press, 10_000).kind).not.toBe("decide");
  }
});

test("a card that was covered by text takes keys again only 700 ms after the line is empty", () => {
  const interaction = atCard();
  interaction.press(typed("hi"), 1_000);
  interaction.press(key("escape"), 2_000);
  interaction.drawn(0, 2_000);
  expect(interaction.press(typed("n"), 2_100).kind).toBe("none");
  interaction.press(key("backspace"), 2_200);
  interaction.drawn(0, 2_200);
  expect(interaction.press(typed("n"), 2_900).kind).toBe("decide");
});

test("what is not shown cannot be allowed; v shows it (T01)", () => {
  const interaction = atCard({}, 12);
  expect(interaction.press(typed("y"), 1_000).kind).toBe("hint");
  expect(interaction.press(typed("a"), 1_000).kind).toBe("hint");
  expect(interaction.press(typed("v"), 1_000).kind).toBe("showWhole");
  expect(interaction.press(typed("y"), 1_000).kind).toBe("decide");
  expect(atCard({}, 12).press(typed("n"), 1_000).kind).toBe("decide");
});

test("a is no answer where nothing can be remembered", () => {
  const { rememberText: _, ...approval } = testApproval();
  const interaction = new Interaction();
  interaction.setCard(approval);
  interaction.drawn(0, 0);
  expect(interaction.press(typed("a"), 1_000).kind).toBe("hint");
});

test("r asks for a reason; Esc goes back, Enter denies with it", () => {
  const interaction = atCard();
  expect(interaction.press(typed("r"), 1_000).kind).toBe("none");
  expect(interaction.press(key("enter"), 1_000).kind).toBe("hint");
  interaction.press(typed("y"), 1_000);
  interaction.press(key("escape"), 1_000);
  expect(interaction.reasoning).toBe(false);
  interaction.drawn(0, 1_000);
  interaction.press(typed("r"), 2_000);
  interaction.press(typed("not on Friday"), 2_000);
  expect(interaction.press(key("enter"), 2_000)).toMatchObject({
    kind: "decide",
    decision: "deny",
    reason: "not on Friday",
  });
});

test("a new card starts with a new age", () => {
  const interaction = atCard();
  interaction.setCard(testApproval({ id: "other" }));
  interaction.drawn(0, 5_000);
  expect(interaction.press(typed("y"), 5_600).kind).toBe("none");
});

test("the line can be edited around wide characters", () => {
  const { editor } = new Interaction();
  for (const press of [
    typed("日本 foo bar"),
    key("ctrlW"),
    key("home"),
    key("right"),
    key("delete"),
    key("end"),
    typed("!"),
  ])
    editor.take(press);
  expect(editor.text).toBe("日 foo !");
  expect(editor.visible(40)).toEqual({ text: "日 foo !", column: 8 });
  expect(editor.visible(4).column).toBeLessThan(4);
});
