import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadSkills } from "../../src/prompt/skills.ts";
import { buildSystemPrompt } from "../../src/prompt/system-prompt.ts";

function folders() {
  const folder = mkdtempSync(join(tmpdir(), "tempi-skills-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { cwd: join(folder, "workspace"), user: join(folder, "user") };
}

function skill(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "SKILL.md"), text);
}

const head = (name: string, description = "does something") =>
  `---\nname: ${name}\ndescription: ${description}\n---\nSteps.\n`;

it("finds the user's and the workspace's skills; the first of a name counts; what has no head is left out", async () => {
  const { cwd, user } = folders();
  skill(join(user, "skills"), "deploy", head("deploy", "how we\n  deploy"));
  skill(join(cwd, ".tempi", "skills"), "deploy", head("deploy", "another"));
  skill(join(cwd, ".tempi", "skills"), "review", head("review"));
  skill(
    join(cwd, ".tempi", "skills"),
    "hidden",
    "---\nname: hidden\ndescription: x\ndisable-model-invocation: true\n---\n",
  );
  skill(join(cwd, ".tempi", "skills"), "broken", "---\nname: [\n---\n");
  skill(join(cwd, ".tempi", "skills"), "headless", "just text");
  skill(join(cwd, ".tempi", "skills"), "long", head("n".repeat(65)));
  mkdirSync(join(cwd, ".tempi", "skills", "empty"));
  const skills = await loadSkills(cwd, user);
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ["deploy", "how we deploy"],
    ["review", "does something"],
  ]);
  expect(await loadSkills(join(cwd, "nowhere"), join(user, "nowhere"))).toEqual([]);
});

it("lists them only where the model can read files, in the same words each time", () => {
  const skills = [{ name: "deploy", description: "how we deploy", location: "/s/deploy/SKILL.md" }];
  const prompt = (...names: string[]) =>
    buildSystemPrompt({ tools: names.map((name) => ({ name })), cwd: "/w", contextFiles: [], skills });
  expect(prompt("read")).toContain("- deploy: how we deploy (/s/deploy/SKILL.md)");
  expect(prompt("read")).toBe(prompt("read"));
  expect(prompt("edit")).not.toContain("deploy");
});
