import { describe, expect, it } from "vitest";
import { editedArguments, editedText } from "../../../../src/web/page/model/edited-arguments.ts";
import { imageAddress } from "../../../../src/web/page/model/images.ts";
import { routeOf } from "../../../../src/web/page/model/route.ts";
import { resolutionWords } from "../../../../src/web/page/model/rows.ts";

describe("routeOf", () => {
  it("reads addresses; a secret comes from the fragment only", () => {
    expect(routeOf("/")).toEqual({ page: "home" });
    expect(routeOf("/", "#new")).toEqual({ page: "new" });
    expect(routeOf("/s/k7f3qd")).toEqual({ page: "session", id: "k7f3qd" });
    expect(routeOf("/open", "#abc")).toEqual({ page: "enter", way: "login", secret: "abc" });
    expect(routeOf("/pair", "#123")).toEqual({ page: "enter", way: "pair", secret: "123" });
    for (const path of ["/s/", "/s/../x", "/s/%2e", "/api/me"]) expect(routeOf(path)).toEqual({ page: "unknown" });
  });
});

describe("imageAddress", () => {
  it("takes pixels only (W06)", () => {
    expect(imageAddress({ type: "image", mimeType: "image/png", data: "aGk=" })).toBe("data:image/png;base64,aGk=");
    expect(imageAddress({ type: "image", mimeType: "image/svg+xml", data: "aGk=" })).toBeUndefined();
    expect(imageAddress({ type: "image", mimeType: "text/html", data: "aGk=" })).toBeUndefined();
    expect(imageAddress({ type: "image", mimeType: "image/png", data: "a,b" })).toBeUndefined();
  });
});

describe("editedArguments", () => {
  it("edits the command of bash alone and keeps the rest", () => {
    const given = { command: "npm publish", timeout: 5 };
    expect(editedText("bash", given)).toBe("npm publish");
    expect(editedArguments("bash", given, "npm pack")).toEqual({ args: { command: "npm pack", timeout: 5 } });
    expect(editedArguments("bash", given, " ")).toEqual({ problem: "The command is empty." });
  });

  it("takes one JSON object for other tools and says what is wrong otherwise", () => {
    expect(editedText("write", { path: "a" })).toBe('{\n  "path": "a"\n}');
    expect(editedArguments("write", {}, '{"path": "b"}')).toEqual({ args: { path: "b" } });
    expect(editedArguments("write", {}, "[1]")).toEqual({ problem: "The arguments must be one JSON object." });
    expect(editedArguments("write", {}, "{")).toMatchObject({ problem: expect.stringContaining("not JSON") });
  });
});

describe("resolutionWords", () => {
  it("says who, how and for how long", () => {
    expect(resolutionWords({ decision: "allow", by: "ann@pc", via: "terminal", remember: "session" })).toBe(
      "allowed by ann@pc at a terminal, for this session",
    );
    expect(resolutionWords({ decision: "deny", by: "rule", via: "deadline" })).toBe("denied by rule by its deadline");
    expect(resolutionWords({ decision: "withdrawn", by: "ann@pc" })).toBe("withdrawn by ann@pc");
  });
});
