/** Words for numbers and times, the same in the command line and on the page. */
export {
  age,
  clock,
  copyable,
  costOf,
  count,
  duration,
  modelName,
  moment,
  money,
  nextStep,
  sentence,
  thousands,
  tokens,
} from "../../agent/format.ts";
