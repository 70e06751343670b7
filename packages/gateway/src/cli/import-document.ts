import {
  createHttpCaller,
  listOpenApi,
  type NameStyle,
  type OpenApiCandidates,
  type OpenApiOptions,
  type SkipKind,
} from "@toolwire/openapi";
import { UsageError } from "@toolwire/server";
import { readFile } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { stringify } from "yaml";
import { credentialsOfSchemes } from "../admin/import/credentials-of-schemes.ts";
import { fetchDocument } from "../servers/http-callers.ts";
import {
  type Command,
  type CommandArguments,
  CommandError,
  CommandFailure,
  type Console,
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
fits and is not deprecated. The path of the document is relative to the folder of the configuration, which is the current one if it is
printed. Says on stderr what was left out and why, and how much a model has to read. Prints nothing secret: credentials become references to secrets that you set with
\`toolwire-gateway secret set\`.

  --slug SLUG         the name of the server in URLs; default: from the title of the document
  --include ID        operations with this id or name; "*" matches anything; may be repeated, as all of these
  --tag TAG           operations with this tag
  --method METHOD     operations with this method, such as GET
  --path PATH         operations with this path; "*" matches within a segment, "**" across segments
  --base-url URL      the URL of the API; default: the first server of the document
  --names STYLE       "readable" (default), "operationId" or "path": how tools are named
  --verbose           names every operation that is left out
  --allow ADDRESS     a document may be fetched from this internal host or network`,
  options: {
    slug: { type: "string" },
    include: { type: "string", multiple: true },
    tag: { type: "string", multiple: true },
    method: { type: "string", multiple: true },
    path: { type: "string", multiple: true },
    "base-url": { type: "string" },
    names: { type: "string" },
    verbose: { type: "boolean" },
    allow: { type: "string", multiple: true },
  },
  positionals: [1, 1],
  run: (args, console) => importInto(process.cwd(), args, console),
};

/** Prints the configuration that a document makes, for a file in this folder. */
export async function importInto(folder: string, args: CommandArguments, console: Console): Promise<number> {
  const [source = ""] = args.positionals;
  const document = await readSource(source, textsOption(args, "allow") ?? []);
  const baseUrl = textOption(args, "base-url");
  const documentUrl = isUrl(source) ? source : undefined;
  const names = readNames(textOption(args, "names"));
  const include = readFilter(args);
  const options = { include, documentUrl, ...(names !== undefined && { names }) };
  const listed = listOpenApi(document, options);
  const full = listOpenApi(document, { ...options, descriptions: "full" });
  const slug = readSlug(textOption(args, "slug") ?? slugOf(listed.title ?? "api"));
  const taken = listed.operations.filter(({ problem }) => problem === undefined);
  const losses = describeLosses(listed, args.values["verbose"] === true);
  const lines = [...losses, ...describeServers(listed, baseUrl), ...describeSize(listed, full)];
  for (const line of lines) console.tell(line);
  if (taken.length === 0) throw new CommandFailure("No operation of the document can become a tool.");
  console.print(
    stringify(makeConfig(slug, placeOf(source, folder), { listed, include, baseUrl, names }), {
      lineWidth: 120,
    }).trimEnd(),
  );
  return 0;
}

async function readSource(source: string, allow: readonly string[]): Promise<string> {
  if (isUrl(source)) {
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

function isUrl(source: string): boolean {
  return /^https?:\/\//.test(source);
}

/** The document as a configuration file in a folder names it. */
function placeOf(source: string, folder: string): string {
  if (isUrl(source)) return source;
  const path = relative(folder, resolve(source));
  // On Windows, a file on another drive has no relative path.
  if (isAbsolute(path)) return path;
  const portable = path.split(sep).join("/");
  return portable.startsWith("../") ? portable : `./${portable}`;
}

function readNames(style: string | undefined): NameStyle | undefined {
  if (style === undefined || style === "readable" || style === "operationId" || style === "path") return style;
  throw new CommandError('--names must be "readable", "operationId" or "path".');
}

interface Import {
  readonly listed: OpenApiCandidates;
  readonly include: OpenApiOptions["include"];
  readonly baseUrl: string | undefined;
  readonly names: NameStyle | undefined;
}

function makeConfig(slug: string, document: string, { listed, include, baseUrl, names }: Import): object {
  const credentials = credentialsOfSchemes(slug, listed.schemes);
  const server = {
    title: listed.title ?? slug,
    openapi: {
      document,
      // Without a filter, everything is taken that is not deprecated: no list has to follow the document.
      ...(include !== undefined && { include }),
      baseUrl: baseUrl ?? listed.servers[0],
      ...(names !== undefined && { names }),
    },
    ...(sizeOf(listed).bytes > LARGE_LISTING && { mode: "search" }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
  return { version: 1, servers: { [slug]: server } };
}

function sizeOf({ operations }: OpenApiCandidates): { readonly bytes: number; readonly tokens: number } {
  const bytes = operations.reduce((sum, each) => sum + each.bytes, 0);
  return { bytes, tokens: operations.reduce((sum, each) => sum + each.tokens, 0) };
}

/** The operations that are left out: those that cannot be tools by name, and the others by their number. */
function describeLosses({ operations, schemes }: OpenApiCandidates, isVerbose: boolean): string[] {
  const left = (kind: SkipKind): OpenApiCandidates["operations"] =>
    operations.filter(({ skipped }) => skipped === kind);
  const names = (some: OpenApiCandidates["operations"]): string[] =>
    some.map(({ info, problem = "" }) => `left out: ${info.method} ${info.path}: ${problem}`);
  const count = (kind: "choice" | "deprecated", why: string): string[] => {
    const some = left(kind);
    if (some.length === 0) return [];
    return isVerbose ? names(some) : [`left out: ${some.length} ${why} (--verbose names them)`];
  };
  return [
    ...names(left("problem")),
    ...count("deprecated", "deprecated"),
    ...count("choice", "that the options do not choose"),
    ...schemes.flatMap(({ name, kind, isSupported }) =>
      isSupported ? [] : [`The security scheme ${JSON.stringify(name)} (${kind}) is not supported.`],
    ),
  ];
}

/** Says why there is no base URL, if there is none. */
function describeServers({ servers, serverProblems }: OpenApiCandidates, baseUrl: string | undefined): string[] {
  if (baseUrl !== undefined || servers.length > 0) return [];
  return [...serverProblems, "Requests have nowhere to go: pass --base-url, or set `baseUrl` in the file."];
}

function describeSize(listed: OpenApiCandidates, full: OpenApiCandidates): string[] {
  const taken = listed.operations.filter(({ problem }) => problem === undefined);
  const { bytes, tokens } = sizeOf(listed);
  const saved = sizeOf(full).tokens - tokens;
  return [
    `${taken.length} of ${listed.operations.length} operations: ${bytes} bytes, about ${tokens} tokens for a model to read` +
      `${saved > 0 ? `, ${saved} fewer than with \`descriptions: full\`` : ""}.`,
    ...(bytes > LARGE_LISTING ? ["That is a lot, so the server has `mode: search`. Choose fewer with --include."] : []),
  ];
}
