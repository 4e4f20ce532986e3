import { existsSync } from "node:fs";
import { join } from "node:path";

/** Folder of the built page. */
export const pageFolder = join(import.meta.dirname, "..", "..", "dist", "page");

/** Whether there is a page to show; a checkout has none before it was built. */
export const pageIsBuilt = (): boolean => existsSync(join(pageFolder, "index.html"));

/** What builds it. */
export const buildPage = "npm run build";
