import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { AdminError, notFound } from "./http/admin-error.ts";
import { digest } from "./http/reply.ts";

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The folder that the build writes the page to. The same from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL("../../dist/ui/", import.meta.url));

interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly tag: string;
}

/** Makes a function that serves the files of the page from memory. No path of a request is ever a path of the file system. */
export function createPageServer(folder: string = FOLDER): (http: IncomingMessage, response: ServerResponse) => void {
  const files = readFiles(folder);
  return (http, response) => {
    if (http.method !== "GET" && http.method !== "HEAD") {
      throw new AdminError(405, "method_not_allowed", "Here, only GET can be used.", { allow: "GET" });
    }
    const path = (http.url ?? "/").split(/[?#]/, 1)[0] ?? "/";
    const file = files.get(path) ?? (isView(path) ? files.get("/index.html") : undefined);
    if (file === undefined) {
      throw files.size === 0
        ? new AdminError(503, "page_not_built", "The page is not part of this build. Run `npm run build` first.")
        : notFound("There is no such file.");
    }
    writeFile(http, response, path, file);
  };
}

/** Views of the page have paths of their own, and are all the same file. */
function isView(path: string): boolean {
  const isFile = path.startsWith("/assets/") || /^\/[^/]+\.[^/]+$/.test(path);
  return !isFile;
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const plain = readFileSync(join(folder, name));
    files.set(`/${name.replaceAll("\\", "/")}`, { type, plain, packed: gzipSync(plain), tag: `"${digest(plain)}"` });
  }
  return files;
}

function writeFile(http: IncomingMessage, response: ServerResponse, path: string, file: PageFile): void {
  // The build puts a digest into the names of all files but the first.
  const isHashed = path.startsWith("/assets/");
  response.setHeader("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("vary", "accept-encoding");
  response.setHeader("etag", file.tag);
  if (http.headers["if-none-match"] === file.tag) {
    response.writeHead(304).end();
    return;
  }
  const isPacked = /\bgzip\b/.test(http.headers["accept-encoding"] ?? "");
  const body = isPacked ? file.packed : file.plain;
  response.writeHead(200, {
    "content-type": file.type,
    "content-length": body.length,
    ...(isPacked ? { "content-encoding": "gzip" } : {}),
  });
  response.end(body);
}
