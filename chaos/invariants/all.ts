import { approvedBeforeRun, onlyWhatWasShown } from "./approvals.ts";
import { effectsOnce, unknownOnlyByFaults } from "./effects.ts";
import {
  allAtRest,
  answersInTime,
  historiesReplay,
  locksFree,
  noProcessLeft,
  noSecret,
  nothingWrittenOutside,
  repeatsAreEqual,
  resourcesGivenBack,
} from "./ending.ts";
import { filesWhole, noLostUpdate, othersKept } from "./files.ts";
import type { Invariant } from "./invariant.ts";
import { oneResultPerCall, requestsPair } from "./results.ts";
import {
  followersWithoutGap,
  historiesTellTheSame,
  nothingTakenBack,
  numbersWithoutGap,
  promptsOnce,
} from "./transcript.ts";

/** Every invariant, in the order of their numbers. */
export const invariants: readonly Invariant[] = [
  oneResultPerCall,
  requestsPair,
  effectsOnce,
  unknownOnlyByFaults,
  nothingTakenBack,
  numbersWithoutGap,
  followersWithoutGap,
  historiesTellTheSame,
  promptsOnce,
  filesWhole,
  noLostUpdate,
  othersKept,
  locksFree,
  noProcessLeft,
  approvedBeforeRun,
  onlyWhatWasShown,
  allAtRest,
  noSecret,
  historiesReplay,
  nothingWrittenOutside,
  resourcesGivenBack,
  repeatsAreEqual,
  answersInTime,
];
