import { capText } from "../../schema/json-value.ts";
import { ModelError } from "../contract.ts";

const maximumErrorBytes = 64 * 1024;
/** No event of any host comes near; one that does not end must not fill the memory. */
const maximumLineBytes = 64 * 1024 * 1024;
const newline = 10;

/**
 * `fetch` that reports signs of life and makes odd answers readable for the SDK:
 * - `onAlive` runs when headers come and whenever a line of the body ends (keep-alive comments count; single bytes that
 *   never end a line do not, so a host that trickles is found out);
 * - an error body is passed on as `{"error": …}` whatever its shape, because the SDK drops any other;
 * - a whole JSON answer, from a host that ignored `stream`, becomes a stream of one chunk.
 */
export function watchedFetch(onAlive: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    onAlive();
    if (!response.ok) return await readableError(response);
    const type = response.headers.get("content-type") ?? "";
    if (/^text\/html/i.test(type)) return await webPage(response);
    if (!response.body) return response;
    const body = response.body.pipeThrough(lineWatcher(onAlive));
    if (!/^application\/json/i.test(type)) return rebuilt(response, body);
    const text = await new Response(body).text();
    // Events under a wrong label stay events.
    if (!text.trimStart().startsWith("{")) return rebuilt(response, text);
    return rebuilt(response, `data: ${text.replace(/[\r\n]+/g, " ")}\n\ndata: [DONE]\n\n`);
  };
}

function lineWatcher(onAlive: () => void): TransformStream<Uint8Array, Uint8Array> {
  let lineBytes = 0;
  return new TransformStream({
    transform(bytes, controller) {
      if (bytes.includes(newline)) {
        onAlive();
        lineBytes = 0;
      }
      lineBytes += bytes.length;
      if (lineBytes > maximumLineBytes) {
        controller.error(new ModelError("transient", "the answer holds a line that does not end"));
        return;
      }
      controller.enqueue(bytes);
    },
  });
}

function rebuilt(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const headers = new Headers(response.headers);
  // The body is decoded already; the SDK must not take these for the new one.
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  // Answers of these kinds may have no body; one that says nothing is a fault of the gateway.
  const status = [101, 204, 205, 304].includes(response.status) ? 502 : response.status;
  return new Response(body, { status, statusText: response.statusText, headers });
}

/** A page under a good status is no broken stream but a wrong address, which trying again does not mend. */
async function webPage(response: Response): Promise<Response> {
  await response.body?.cancel();
  const message = "a web page came instead of an answer: is the base URL right? It often ends in /v1";
  return new Response(JSON.stringify({ error: { message } }), { status: 404 });
}

async function readableError(response: Response): Promise<Response> {
  const text = await readStart(response);
  return rebuilt(response, JSON.stringify({ error: errorObject(text, response.statusText) }));
}

function errorObject(text: string, statusText: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    const [first] = Array.isArray(parsed) ? parsed : [parsed];
    if (typeof first === "object" && first !== null) {
      const nested = (first as { error?: unknown }).error;
      return typeof nested === "object" && nested !== null ? nested : first;
    }
  } catch {
    // Not JSON: an error page of a proxy, or plain words.
  }
  return { message: capText(text.trim(), maximumErrorBytes) || statusText || "no text" };
}

/** No sign of life is reported here: an error page that trickles must not keep the attempt open. */
async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      size += bytes.length;
      if (size > maximumErrorBytes) break;
    }
  } catch {
    // The status says enough if the body breaks off.
  }
  return text;
}
