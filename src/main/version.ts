import packageJson from "../../package.json" with { type: "json" };

/** Version of tempi. */
export const version: string = packageJson.version;
