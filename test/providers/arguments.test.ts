import { expect, it } from "vitest";
import { parseArguments } from "../../src/providers/openai-completions/arguments.ts";

const nul = "\\u0000";

it.each([
  ["in a value", `{"command":"echo a${nul}b"}`],
  ["deep", `{"edits":[{"oldText":"a","newText":"${nul}"}]}`],
  ["in a key", `{"a${nul}":1}`],
])("a NUL character %s is refused, and the raw text is kept (B27)", (_where, text) => {
  expect(parseArguments(text)).toMatchObject({
    argumentsError: { message: expect.stringContaining("NUL"), raw: text },
  });
});

it("the letters of its escape are ordinary text", () => {
  expect(parseArguments(String.raw`{"command":"printf '\\u0000'"}`)).toEqual({
    arguments: { command: String.raw`printf '\u0000'` },
  });
});
