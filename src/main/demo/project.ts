import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Milliseconds between the checks of the demo's test: time to kill a worker in the middle of it. */
const checkMs = 900;

const sum = `/** Adds all numbers of a list. */
export function sum(numbers) {
  return numbers.reduce((total, number) => total - number, 0);
}
`;

const test = `import { appendFileSync } from "node:fs";
import { sum } from "./sum.js";

// One line for each time this test starts: the demo counts them.
appendFileSync("starts.log", "started\\n");
const checks = [
  [[], 0],
  [[2, 3], 5],
  [[1, 2, 3, 4], 10],
  [[-1, 1], 0],
  [[0.5, 0.25], 0.75],
];
for (const [at, [numbers, expected]] of checks.entries()) {
  const got = sum(numbers);
  if (got !== expected) {
    console.log(\`check \${at + 1}: sum(\${JSON.stringify(numbers)}) is \${got}, should be \${expected}\`);
    process.exit(1);
  }
  console.log(\`check \${at + 1} of \${checks.length}: ok\`);
  await new Promise((resolve) => setTimeout(resolve, ${checkMs}));
}
console.log("all checks passed");
`;

/** What the model of the demo says and does; everything else is real. */
const answers = {
  answers: [
    {
      thinking: "The test fails on sum([2, 3]). I read the code before I change it.",
      text: "I'll read the code first.",
      calls: [
        { name: "read", arguments: { path: "sum.js" } },
        { name: "read", arguments: { path: "sum.test.js" } },
      ],
      chunkMs: 25,
    },
    {
      text: "`sum` subtracts where it should add. I'll mend that line and run the tests.",
      calls: [
        {
          name: "edit",
          arguments: { path: "sum.js", edits: [{ oldText: "total - number", newText: "total + number" }] },
        },
        { name: "bash", arguments: { command: "npm test" } },
      ],
      chunkMs: 25,
    },
    {
      text: "The tests pass. `sum` subtracted each number; it now adds them (`sum.js`, one line). I did not commit.",
      chunkMs: 25,
    },
  ],
};

/** Writes the failing project and the model's script; returns the script's path. */
export function writeProject(folder: string, scriptFile: string): void {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "demo", private: true, type: "module", scripts: { test: "node sum.test.js" } };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "sum.js"), sum);
  writeFileSync(join(folder, "sum.test.js"), test);
  writeFileSync(scriptFile, `${JSON.stringify(answers, null, 2)}\n`);
}
