/** Commands of other tools that fingers know, and what tempi says instead. */
const foreign: Record<string, string> = {
  resume: "attach",
  continue: "attach",
  open: "attach",
  chat: "run",
  ls: "list",
  ps: "list",
  sessions: "list",
  kill: "stop",
  cancel: "stop",
  abort: "stop",
  end: "stop --end",
  exec: "run",
  start: "run",
  new: "run",
  ask: "run",
  auth: "init",
  login: "init",
  serve: "web",
  ui: "web",
  allow: "approve",
  reject: "deny",
  log: "show --transcript",
  history: "show --transcript",
};

/** What tempi calls the command that was meant, if it is a known word of another tool. */
export const ownWordFor = (word: string): string | undefined =>
  Object.hasOwn(foreign, word) ? foreign[word] : undefined;
