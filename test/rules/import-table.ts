/**
 * Which folder may import what: the table of the design, as data. A folder that has no row (test, bench, examples)
 * may import everything, and nothing with a row may import it.
 */
export interface ImportRow {
  /** Folder, or a single file without its ending. The longest fitting row counts. */
  from: string;
  /** Folders, or single files without their ending, that may be imported for their values. A row's own folder always is. */
  values: readonly string[];
  /** The same, for `import type` only. */
  types?: readonly string[];
  /** Whether `node:` modules may be imported. */
  node: boolean;
  packages: readonly string[] | "all" | "all but Temporal";
  /** The rule in words, for the reader of a failure. */
  rule: string;
}

const pure = ["src/agent", "src/schema"] as const;
const tooling = ["src/providers", "src/prompt", "src/tools"] as const;
const typebox = "@sinclair/typebox";

const pureRow = (from: string): ImportRow => ({
  from,
  values: pure,
  node: false,
  packages: [typebox],
  rule: "pure code imports only src/agent, src/schema and TypeBox: no node:*, no @temporalio/*",
});

const toolingRow = (from: string): ImportRow => ({
  from,
  values: pure,
  node: true,
  packages: "all but Temporal",
  rule: "imports src/agent, src/schema, Node and vendor packages: no Temporal, tools get what they need through their context",
});

const policyRow: ImportRow = {
  from: "src/policy",
  values: [...pure, "src/tools"],
  node: true,
  packages: "all but Temporal",
  rule: "imports src/agent, src/schema, src/tools, Node and libraries: rules come as data, whoever read them",
};

const ownMachineRow = (from: string): ImportRow => ({
  from,
  values: [],
  node: true,
  packages: "all",
  rule: "imports Node and libraries only",
});

const surfaceRow = (from: string): ImportRow => ({
  from,
  values: ["src/client", "src/config", "src/protocol", "src/agent"],
  node: true,
  packages: "all but Temporal",
  rule: "imports src/client, src/config, src/protocol and src/agent; src/cli and src/web do not know each other",
});

const below = [
  "activities",
  ...pure,
  ...tooling,
  "src/policy",
  "src/protocol",
  "src/client",
  "src/server",
  "src/config",
] as const;

export const importTable: readonly ImportRow[] = [
  { ...pureRow("src/index"), values: ["src/agent"], rule: "what extensions import: src/agent and TypeBox only" },
  pureRow("src/agent"),
  pureRow("src/schema"),
  {
    from: "src/protocol",
    values: [],
    types: ["src/agent"],
    node: false,
    packages: ["@temporalio/workflow", "@temporalio/common"],
    rule: "imports types of src/agent and definitions of @temporalio/workflow and /common",
  },
  {
    from: "workflows",
    values: ["src/agent", "src/protocol"],
    types: ["activities"],
    node: false,
    // TypeBox decodes the signals.
    packages: ["@temporalio/workflow", "@temporalio/common", typebox],
    rule: "imports src/agent, src/protocol, TypeBox, @temporalio/workflow and /common; only types of activities",
  },
  ...tooling.map(toolingRow),
  policyRow,
  {
    from: "activities",
    values: [...pure, ...tooling, "src/policy", "src/protocol", "src/client/read-history"],
    types: ["workflows", "src/config/home"],
    node: true,
    packages: "all",
    rule: "imports pure code, providers, prompt, tools, policy, protocol and src/client/read-history; never values of workflows, cli or web",
  },
  {
    from: "src/client",
    values: ["src/agent", "src/protocol", "src/config/home"],
    node: true,
    packages: ["@temporalio/client", "@temporalio/common", "@temporalio/proto"],
    rule: "imports src/agent, src/protocol, Node, @temporalio/client (with its common and proto); of src/config only home",
  },
  ownMachineRow("src/server"),
  {
    ...ownMachineRow("src/config"),
    types: ["src/agent"],
    rule: "imports Node and libraries; of src/agent only types",
  },
  surfaceRow("src/cli"),
  surfaceRow("src/web"),
  {
    from: "src/web/page",
    values: ["src/agent", "src/protocol/live-text"],
    types: ["src/web/api", "src/client", "src/protocol"],
    node: false,
    packages: ["preact", "@preact/signals", "marked", "highlight.js"],
    rule: "runs in the browser: imports src/agent, src/protocol/live-text, types of the API and what is bundled; no Node",
  },
  {
    from: "src/worker",
    values: ["activities", "src/agent", "src/schema", "src/config", "src/protocol", "src/server/process-identity"],
    types: ["workflows"],
    node: true,
    packages: "all",
    rule: "imports activities, src/agent, src/schema, src/config and src/protocol; workflows only as a path to bundle (and types of sinks)",
  },
  {
    from: "src/main",
    // The package's own file tells the version.
    values: [...below, "src/cli", "src/web", "src/worker", "package.json"],
    types: ["workflows"],
    node: true,
    packages: "all",
    rule: "composes everything except workflows, which it knows only as a path",
  },
  {
    from: "bin",
    values: ["src/main", "src/cli"],
    node: true,
    packages: [],
    rule: "starts src/main or src/cli",
  },
];
