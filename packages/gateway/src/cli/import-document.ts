import { createHttpCaller, listOpenApi, type OpenApiCandidates, type OpenApiOptions } from "@toolwire/openapi";
import { UsageError } from "@toolwire/server";
import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { credentialsOfSchemes } from "../admin/import/credentials-of-schemes.ts";
import { fetchDocument } from "../servers/http-callers.ts";
import {
  type Command,
  type CommandArguments,
  CommandError,
  CommandFailure,
  textOption,
  textsOption,
} from "./command.ts";

/** The size of a listing from which on a model should search instead of reading all of it, in bytes. */
const LARGE_LISTING = 400 * 1024;

/** `import`: an OpenAPI document as a server of a configuration file. */
export const importDocument: Command = {
  name: "import",
  summary: "turns an OpenAPI document into configuration",
  help: `Usage: toolwire-gateway import DOCUMENT [--slug SLUG] [--include ID …] [--tag TAG …] [--method METHOD …] [--path PATH …]

Reads an OpenAPI or Swagger document from a file or a URL, and prints a gateway.yaml with one server, which has every operation that
fits. Says on stderr what was left out and why, and how much a model has to read. Prints nothing secret: credentials become
references to secrets that you set with \`toolwire-gateway secret set\`.

  --slug SLUG         the name of the server in URLs; default: from the title of the document
  --include ID        operations with this id; "*" matches anything; may be repeated, as all of these
  --tag TAG           operations with this tag
  --method METHOD     operations with this method, such as GET
  --path PATH         operations with this path; "*" matches within a segment, "**" across segments
  --base-url URL      the URL of the API; default: the first server of the document
  --allow ADDRESS     a document may be fetched from this internal host or network`,
  options: {
    slug: { type: "string" },
    include: { type: "string", multiple: true },
    tag: { type: "string", multiple: true },
    method: { type: "string", multiple: true },
    path: { type: "string", multiple: true },
    "base-url": { type: "string" },
    allow: { type: "string", multiple: true },
  },
  positionals: [1, 1],
  async run(args, console) {
    const [source = ""] = args.positionals;
    const document = await readSource(source, textsOption(args, "allow") ?? []);
    const baseUrl = textOption(args, "base-url");
    const listed = listOpenApi(document, { include: readFilter(args), baseUrl });
    const slug = readSlug(textOption(args, "slug") ?? slugOf(listed.title ?? "api"));
    const taken = listed.operations.filter(({ problem }) => problem === undefined);
    for (const line of describeLosses(listed)) console.tell(line);
    if (taken.length === 0) throw new CommandFailure("No operation of the document can become a tool.");
    console.print(stringify(makeConfig(slug, source, listed, baseUrl), { lineWidth: 120 }).trimEnd());
    return 0;
  },
};

async function readSource(source: string, allow: readonly string[]): Promise<string> {
  if (/^https?:\/\//.test(source)) {
    const caller = createHttpCaller({ network: { allow } });
    try {
      return await fetchDocument(caller, source);
    } finally {
      await caller.close();
    }
  }
  try {
    return await readFile(source, "utf8");
  } catch (error) {
    throw new UsageError("INVALID_ARGUMENT", `The document cannot be read: ${(error as Error).message}`);
  }
}

function readFilter(args: CommandArguments): OpenApiOptions["include"] {
  const filter = {
    operations: textsOption(args, "include"),
    tags: textsOption(args, "tag"),
    methods: textsOption(args, "method"),
    paths: textsOption(args, "path"),
  };
  return Object.values(filter).every((rule) => rule === undefined) ? undefined : filter;
}

/** A slug made of a title: "Pet Store (v3)" is `pet-store-v3`. */
function slugOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["api"];
  return words.join("-").slice(0, 64).replace(/-$/, "");
}

function readSlug(slug: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(slug)) return slug;
  throw new CommandError("--slug must have 1 to 64 lower-case letters, digits and hyphens.");
}

function makeConfig(slug: string, source: string, listed: OpenApiCandidates, baseUrl: string | undefined): object {
  const taken = listed.operations.filter(({ problem }) => problem === undefined);
  const operations = taken.flatMap(({ info }) => info.id ?? []);
  const rest = taken.filter(({ info }) => info.id === undefined);
  const credentials = credentialsOfSchemes(slug, listed.schemes);
  const bytes = taken.reduce((sum, each) => sum + each.bytes, 0);
  const server = {
    title: listed.title ?? slug,
    openapi: {
      document: source,
      // Operations without an id can only be chosen by their paths, and then with all others of these paths.
      include: rest.length === 0 ? { operations } : { paths: [...new Set(taken.map(({ info }) => info.path))] },
      baseUrl: baseUrl ?? listed.servers[0],
    },
    ...(bytes > LARGE_LISTING && { mode: "search" }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
  return { version: 1, servers: { [slug]: server } };
}

function describeLosses({ operations, schemes, servers }: OpenApiCandidates): string[] {
  const taken = operations.filter(({ problem }) => problem === undefined);
  const bytes = taken.reduce((sum, each) => sum + each.bytes, 0);
  const tokens = taken.reduce((sum, each) => sum + each.tokens, 0);
  return [
    ...operations.flatMap(({ info, problem }) =>
      problem === undefined ? [] : [`left out: ${info.method} ${info.path}: ${problem}`],
    ),
    ...schemes.flatMap(({ name, kind, isSupported }) =>
      isSupported ? [] : [`The security scheme ${JSON.stringify(name)} (${kind}) is not supported.`],
    ),
    ...(servers.length === 0 ? ["The document names no server: set `baseUrl`."] : []),
    `${taken.length} of ${operations.length} operations: ${bytes} bytes, about ${tokens} tokens for a model to read.`,
    ...(bytes > LARGE_LISTING ? ["That is a lot, so the server has `mode: search`. Choose fewer with --include."] : []),
  ];
}
