import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { HttpError } from "./http-error.ts";
import type { Route, RouteRequest } from "./route.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
};
const compressedFrom = 1_024;

interface StaticFile {
  type: string;
  plain: Buffer;
  gzip?: Buffer;
  br?: Buffer;
}

/**
 * The built page, held in memory. Only names of the folder's listing are served, so a path can lead nowhere else; the listing is
 * read when the server starts, and again when another build replaced `index.html`.
 */
export class StaticFiles {
  readonly #folder: string;
  #files = new Map<string, StaticFile>();
  #version: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#refresh();
  }

  page(request: RouteRequest): Response {
    this.#refresh();
    const file = this.#files.get("index.html");
    if (!file) throw new HttpError(503, "the page is not built", { next: "npm run build" });
    return answer(file, request, "no-store");
  }

  asset(name: string, request: RouteRequest): Response {
    const file = this.#files.get(name);
    if (!file) throw new HttpError(404, "no such file");
    // Names of assets hold a digest of what is in them; others may change.
    return answer(file, request, name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache");
  }

  #refresh(): void {
    const version = statSync(join(this.#folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs;
    if (version === this.#version) return;
    this.#version = version;
    this.#files = version === undefined ? new Map() : readFolder(this.#folder);
  }
}

function readFolder(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const place of ["", "assets"]) {
    for (const entry of listing(join(folder, place))) {
      const type = types[extname(entry)];
      if (type === undefined) continue;
      const plain = readFileSync(join(folder, place, entry));
      files.set(place === "" ? entry : `${place}/${entry}`, { type, plain, ...compressed(plain) });
    }
  }
  return files;
}

function listing(folder: string): string[] {
  const entries = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder, { withFileTypes: true })
    : [];
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const compressed = (plain: Buffer): Pick<StaticFile, "gzip" | "br"> =>
  plain.length < compressedFrom
    ? {}
    : {
        gzip: gzipSync(plain, { level: 9 }),
        br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      };

function answer(file: StaticFile, { incoming }: RouteRequest, cache: string): Response {
  const accepted = String(incoming.headers["accept-encoding"] ?? "");
  const encoding = (["br", "gzip"] as const).find((one) => file[one] && new RegExp(`\\b${one}\\b`).test(accepted));
  const body = encoding ? file[encoding]! : file.plain;
  const headers = { "Content-Type": file.type, "Cache-Control": cache, Vary: "Accept-Encoding" };
  return new Response(new Uint8Array(body), {
    headers: { ...headers, ...(encoding ? { "Content-Encoding": encoding } : {}) },
  });
}

export function pageRoutes(files: StaticFiles): Route[] {
  const page = (path: string): Route => ({
    method: "GET",
    path,
    guard: "public",
    isPage: true,
    handle: (request) => files.page(request),
  });
  return [
    ...["/", "/open", "/pair", "/s/:id"].map(page),
    {
      method: "GET",
      path: "/assets/:name",
      guard: "public",
      handle: (request) => files.asset(`assets/${request.parameter("name")}`, request),
    },
    {
      method: "GET",
      path: "/favicon.svg",
      guard: "public",
      handle: (request) => files.asset("favicon.svg", request),
    },
  ];
}
