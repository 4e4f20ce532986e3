import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

/** A skill as the prompt lists it; the model reads its file when it needs it. */
export interface Skill {
  name: string;
  description: string;
  /** Absolute path of its SKILL.md. */
  location: string;
}

const longestName = 64;
const longestDescription = 1_024;
const mostSkills = 100;
const readBytes = 64 * 1024;

/**
 * Skills of the user (`skills/NAME/SKILL.md` in the configuration folder) and of the workspace (`.tempi/skills`), the user's
 * first; of two with one name the first counts. Never rejects: what has no usable head is left out.
 */
export async function loadSkills(cwd: string, userFolder: string): Promise<Skill[]> {
  const skills = new Map<string, Skill>();
  for (const folder of [join(userFolder, "skills"), join(cwd, ".tempi", "skills")]) {
    for (const name of (await readdir(folder).catch(() => [])).sort()) {
      const skill = await readSkill(join(folder, name, "SKILL.md"));
      if (skill && !skills.has(skill.name) && skills.size < mostSkills) skills.set(skill.name, skill);
    }
  }
  return [...skills.values()];
}

async function readSkill(location: string): Promise<Skill | undefined> {
  try {
    const text = (await readFile(location, "utf8")).slice(0, readBytes);
    const head = /^\uFEFF?---\r?\n(.*?)\r?\n---\s*(\r?\n|$)/s.exec(text)?.[1];
    const fields = head === undefined ? undefined : (parse(head) as unknown);
    if (typeof fields !== "object" || fields === null) return undefined;
    const { name, description, "disable-model-invocation": hidden } = fields as Record<string, unknown>;
    if (typeof name !== "string" || typeof description !== "string" || hidden === true) return undefined;
    if (name === "" || name.length > longestName || description.length > longestDescription) return undefined;
    return { name, description: description.replace(/\s+/g, " ").trim(), location };
  } catch {
    return undefined;
  }
}
