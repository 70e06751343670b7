/** Tools of the OpenAPI documents that `npm run fetch:openapi-documents` fetches. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOpenApi } from "@toolwire/openapi";
import type { Source } from "./source.ts";

const TITLES = ["github", "stripe", "kubernetes", "jira", "asana", "twilio", "box", "spotify", "plaid", "figma"];

/** Nothing is sent anywhere: the operations are only searched. */
const BASE_URL = "https://api.example.com";

/** The sources, and the titles of those that were not fetched. */
export function readDocuments(root: string): {
  readonly sources: readonly Source[];
  readonly missing: readonly string[];
} {
  const folder = join(root, "packages/openapi/node_modules/.cache/openapi-documents");
  const files = TITLES.map((title) => ({
    title,
    file: ["json", "yaml"].map((type) => join(folder, `${title}.${type}`)).find((file) => existsSync(file)),
  }));
  return {
    sources: files.flatMap(({ title, file }) => (file === undefined ? [] : [readDocument(title, file)])),
    missing: files.filter(({ file }) => file === undefined).map(({ title }) => title),
  };
}

function readDocument(title: string, file: string): Source {
  const { operations } = readOpenApi(readFileSync(file, "utf8"), {
    baseUrl: BASE_URL,
    tool: () => ({ auth: null, baseUrl: BASE_URL }),
  });
  const tools = operations.map(({ name, info, listing }) => ({
    name,
    title: listing.title,
    description: listing.description,
    annotations: listing.annotations,
    inputSchema: listing.input,
    hints: { method: info.method, path: info.path, tags: info.tags, isDeprecated: info.isDeprecated },
    key: `${info.method} ${info.path}`,
  }));
  return { title, tools };
}
