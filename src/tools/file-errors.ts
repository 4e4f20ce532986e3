/** The text a model reads when the system refused a file: the cause first, then the path as it is shown. */
function fileErrorText(error: unknown, shown: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case "ENOENT":
      return `File not found: ${shown}`;
    case "EACCES":
    case "EPERM":
      return `No permission for ${shown} (${code}).`;
    case "EISDIR":
      return `${shown} is a folder, not a file.`;
    case "ENOTDIR":
      return `A part of the path ${shown} is a file, not a folder.`;
    case "ENAMETOOLONG":
      return `The file name is too long: ${shown}`;
    case "ELOOP":
      return `Too many links: ${shown}`;
    case "ENOSPC":
    case "EDQUOT":
      return `The disk is full: cannot write ${shown} (${code}). The file is unchanged.`;
    case "EROFS":
      return `The file system is read-only: ${shown}`;
    default:
      return `${shown}: ${(error as Error).message}`;
  }
}

/** Runs `work`; a system error becomes an Error with `fileErrorText`, others pass. */
export async function withFileErrors<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    throw new Error(fileErrorText(error, shown), { cause: error });
  }
}
