import { visibleJson, visibleText } from "../../agent/visible-text.ts";

export { showBlankRuns } from "../../agent/visible-text.ts";

/** Visible text for a terminal: tabs become blanks so that widths can be counted. */
export const sanitise = (text: string): string => sanitiseKeepingTabs(text).replaceAll("\t", "    ");

/** For text whose blanks matter to its reader, such as the answer on stdout. */
export const sanitiseKeepingTabs = visibleText;

/** JSON whose text cannot act on a terminal. */
export const safeJson = (value: unknown): string => visibleJson(value);

/** The same for text that must stay on one line: newlines become visible too. */
export const sanitiseLine = (text: string): string => sanitise(text).replaceAll("\n", " \\n ");
