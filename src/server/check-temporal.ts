import { createConnection } from "node:net";
import type { Connection, ConnectionOptions } from "@temporalio/client";
import { ServerError } from "./errors.ts";
import { connectTemporal } from "./temporal-service.ts";

/**
 * What is wrong with a Temporal address, in words: nothing answers, something else answers, or the namespace is not there for
 * us. Takes `timeoutMs` at most for each of two questions; undefined when all is well.
 */
export async function checkTemporal(
  options: ConnectionOptions,
  namespace: string,
  timeoutMs = 4_000,
): Promise<ServerError | undefined> {
  const { address } = options;
  let connection: Connection;
  try {
    connection = await connectTemporal({ ...options, connectTimeout: timeoutMs });
  } catch (error) {
    return (await speaksHttp1(address ?? "")) ? notTemporal(address, error) : unreachable(address, error);
  }
  try {
    await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return undefined;
  } catch (error) {
    // Codes of gRPC: 5 not found, 7 permission denied, 16 unauthenticated, 4 deadline, 14 unavailable.
    const { code } = error as { code?: number };
    if (code === 5 || code === 7 || code === 16) {
      const next = "check namespace and key of the profile";
      return new ServerError(`the Temporal server at ${address} has no namespace "${namespace}" for you`, {
        next,
        cause: error,
      });
    }
    return code === 4 || code === 14 ? unreachable(address, error) : notTemporal(address, error);
  } finally {
    await connection.close();
  }
}

const unreachable = (address: string | undefined, cause: unknown): ServerError =>
  new ServerError(`no Temporal server answers at ${address}`, { next: "check the address and whether it runs", cause });
const notTemporal = (address: string | undefined, cause: unknown): ServerError =>
  new ServerError(`what answers at ${address} is not a Temporal server`, { next: "check the port", cause });

/** Whether a web server answers there: the library itself only says that it waited in vain. */
function speaksHttp1(address: string): Promise<boolean> {
  const match = /^(.*):(\d+)$/.exec(address);
  if (!match) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = createConnection(Number(match[2]), match[1]!.replace(/^\[|\]$/g, ""));
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => done(false));
    socket.once("error", () => done(false));
    socket.once("end", () => done(false));
    socket.once("data", (chunk) => done(chunk.subarray(0, 5).toString("latin1") === "HTTP/"));
    socket.once("connect", () => socket.write(`GET / HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`));
  });
}
