import { type ChildProcess, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import type { CommandFiles } from "./command-files.ts";

/** Bytes: beyond it the writer of a command's output is stopped, also while no worker watches. */
const hardSpoolBytes = 1200 * 1024 * 1024;

/**
 * Runs `$1` in a shell of its own and writes its exit code, whoever else dies. $2 pid file, $3 exit file, $4 bash,
 * $5 cat, $6 file that tells of a failed writer, $7 file for what the writer says.
 *
 * - Traps that do nothing, not ignored signals: an ignored signal would be inherited by the command.
 * - Output goes through a pipe: with a file as stdout, a script's `echo x > /dev/stderr` would empty that file. The writer
 *   ignores TERM, so that the last words of a command that is told to stop are kept.
 * - The command's shell may end before its background children close the pipe: the exit code is written at once, and the
 *   wrapper stays until the pipe is closed.
 */
const wrapper = `
trap : HUP INT TERM
if IFS= read -r tempi_stat 2>/dev/null </proc/$$/stat; then
  IFS= read -r tempi_boot 2>/dev/null </proc/sys/kernel/random/boot_id
  tempi_stat=\${tempi_stat##*) }
  tempi_fields=($tempi_stat)
  printf '%s\\t%s\\t%s\\n' "$$" "$tempi_boot" "\${tempi_fields[19]}" >"$2"
else
  printf '%s\\t\\t%s\\n' "$$" "$(ps -o lstart= -p $$)" >"$2"
fi
exec 2>/dev/null
{ trap : HUP INT TERM; "$4" -c "$1" 2>&1; printf '%s\\n' "$?" >"$3"; } |
  (trap '' HUP INT TERM; ulimit -f ${hardSpoolBytes / 1024}; LC_ALL=C exec "$5" 2>"$7")
tempi_status=("\${PIPESTATUS[@]}")
[ -s "$3" ] || printf '%s\\n' "\${tempi_status[0]}" >"$3"
[ "\${tempi_status[1]}" = 0 ] || printf '%s\\n' "\${tempi_status[1]}" >"$6"
exit "\${tempi_status[0]}"
`;

export interface CommandToStart {
  command: string;
  cwd: string;
  environment: Record<string, string>;
  /** Absolute paths. */
  bash: string;
  cat: string;
}

/**
 * Starts a command that outlives this process: own session and group, stdin empty, output to a file.
 * @returns the wrapper's process once it runs
 * @throws the system's error when it cannot be started
 */
export async function startWrapper(files: CommandFiles, start: CommandToStart): Promise<ChildProcess> {
  const output = await open(files.output, "ax", 0o600);
  try {
    const child = spawn(
      start.bash,
      [
        ...["-c", wrapper, "tempi", start.command, files.pid, files.exit, start.bash, start.cat],
        ...[files.outputLost, files.writerSaid],
      ],
      { cwd: start.cwd, env: start.environment, detached: true, stdio: ["ignore", output.fd, output.fd] },
    );
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
    return child;
  } finally {
    await output.close();
  }
}
