import type { Invariant } from "./invariant.ts";

/** I6: no lock is held when no call runs; the tail's edit of each session got it. */
export const locksFree: Invariant = {
  name: "I6 locks",
  check: ({ locks }) => ({
    checks: locks.length,
    findings: locks.flatMap(({ id, holder }) => (holder === undefined ? [] : [{ text: `${id} is held by ${holder}` }])),
  }),
};

/** I7: nothing that the run started lives on after `tempi down`, by process group, arguments and environment. */
export const noProcessLeft: Invariant = {
  name: "I7 processes",
  check: ({ orphans, processesSeen }) => ({ checks: processesSeen, findings: orphans.map((text) => ({ text })) }),
};

/** I9: every session answered its last prompt after the last fault. */
export const allAtRest: Invariant = {
  name: "I9 rest",
  check: ({ sessions }) => ({
    checks: sessions.length,
    findings: sessions.flatMap(({ id, stuck }) =>
      stuck === undefined ? [] : [{ harm: "stuck", text: `${id}: ${stuck}` }],
    ),
  }),
};

/** I10: the key stands in no file of the home or the workspace, the engine's database and all logs among them. */
export const noSecret: Invariant = {
  name: "I10 secrets",
  check: ({ leaks, filesScanned, model }) => ({
    checks: filesScanned,
    findings: [
      ...leaks.map((text) => ({ text })),
      ...(model.wrongKeys > 0 ? [{ text: `${model.wrongKeys} requests came without the right key` }] : []),
    ],
  }),
};

/** I11: the code of today would have made each of the histories. */
export const historiesReplay: Invariant = {
  name: "I11 replay",
  check: ({ replays }) => ({ checks: replays.checks, findings: replays.faults.map((text) => ({ text })) }),
};

/** I12: nothing was written beside workspace and home. */
export const nothingWrittenOutside: Invariant = {
  name: "I12 outside",
  check: ({ forbidden: { before, after, entries } }) => ({
    checks: 1 + entries.length,
    findings: [
      ...(before === after ? [] : [{ text: "the file beside the workspace was changed" }]),
      ...entries
        .filter((entry) => entry !== "untouched")
        .map((entry) => ({ text: `${entry} appeared beside the workspace` })),
    ],
  }),
};

/** I13 is checked by nobody yet: the README says why. */
export const resourcesGivenBack: Invariant = {
  name: "I13 resources",
  check: () => ({ checks: 0, findings: [] }),
};

/** I14: asked for the same place again, the conversation before it is the same. */
export const repeatsAreEqual: Invariant = {
  name: "I14 repeats",
  check: ({ model }) => ({
    checks: model.repeated,
    findings: model.differing.map((place) => ({ text: `${place} was asked for with two conversations` })),
  }),
};

/** I15 belongs to the web server, which no run starts yet: the README says so. */
export const answersInTime: Invariant = {
  name: "I15 answers",
  check: () => ({ checks: 0, findings: [] }),
};
