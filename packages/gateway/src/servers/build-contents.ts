import {
  annotationsOf,
  type Auth,
  compileHttpTool,
  compileRepair,
  type HttpCaller,
  listOpenApi,
  parseOpenApi,
  readOpenApi,
} from "@toolwire/openapi";
import { type JsonSchemaObject, ToolwireError, UsageError } from "@toolwire/server";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { GatewayConfig, HttpToolConfig, LimitsConfig, OpenApiConfig, ServerConfig } from "../config/config.ts";
import { readDuration } from "../config/durations.ts";
import { fillIn, type ReferenceSources } from "../config/references.ts";
import { HttpRoute } from "../routes/http-route.ts";
import type { Storage } from "../storage/storage.ts";
import { type PreparedCredential, prepareCredential } from "./credentials.ts";
import { hash } from "./fingerprint.ts";
import { fetchDocument, type HttpCallers, keyOf, MAX_DOCUMENT } from "./http-callers.ts";
import { type BuiltTool, overrideOf, type ServerContents } from "./server-contents.ts";

/** The parts of a gateway that servers are built with. */
export interface BuildHost {
  readonly sources: ReferenceSources;
  readonly storage: Pick<Storage, "secrets" | "redactor">;
  readonly callers: HttpCallers;
  readonly network: GatewayConfig["network"];
}

/** The schema of a tool that takes no arguments. */
const NO_ARGUMENTS: JsonSchemaObject = { type: "object", properties: {}, additionalProperties: false };

/** A warning is given beyond this size of all listings: a model reads them before each answer. */
const MANY_BYTES = 100 * 1024;

/** Makes everything that the configuration of a server says. Throws a `UsageError` if a part of it cannot be made. */
export async function buildContents(
  slug: string,
  config: ServerConfig,
  isFromFile: boolean,
  host: BuildHost,
): Promise<ServerContents> {
  const build = new ContentsBuild(slug, config, host);
  for (const [name, tool] of Object.entries(config.tools ?? {})) build.addTool(name, tool);
  if (config.openapi !== undefined) await build.addDocument(config.openapi);
  return build.finish(isFromFile);
}

/** Gathers the tools of one server. */
class ContentsBuild {
  readonly #slug: string;
  readonly #config: ServerConfig;
  readonly #host: BuildHost;
  readonly #caller: HttpCaller;
  readonly #credentials: ReadonlyMap<string, PreparedCredential>;
  readonly #tools = new Map<string, BuiltTool>();
  readonly #problems: string[] = [];
  readonly #forwardHeaders: readonly string[];
  /** The part of all fingerprints that is the same for all tools of the server. */
  readonly #common: string;
  #isIncomplete = false;

  constructor(slug: string, config: ServerConfig, host: BuildHost) {
    this.#slug = slug;
    this.#config = config;
    this.#host = host;
    const network = config.network ?? host.network ?? {};
    this.#caller = host.callers.get(network);
    this.#forwardHeaders = (config.forwardHeaders ?? []).map((name) => name.toLowerCase());
    const { sources: references, storage } = host;
    const sources = { references, secrets: storage.secrets, redactor: storage.redactor, caller: this.#caller };
    const entries = Object.entries(config.credentials ?? {});
    this.#credentials = new Map(entries.map(([name, each]) => [name, prepareCredential(name, each, sources)]));
    this.#common = hash([
      this.#forwardHeaders,
      keyOf(network.allow),
      config.credentials,
      config.limits?.timeout,
      config.limits?.retries,
      [...this.#credentials.values()].map(({ fingerprint }) => fingerprint),
    ]);
  }

  finish(isFromFile: boolean): ServerContents {
    return {
      slug: this.#slug,
      config: this.#config,
      isFromFile,
      tools: [...this.#tools.values()],
      credentials: [...this.#credentials.values()],
      problems: this.#problems,
      isIncomplete: this.#isIncomplete,
    };
  }

  addTool(name: string, config: HttpToolConfig): void {
    const place = `servers.${this.#slug}.tools.${name}`;
    const { request, response, description, title, annotations, input } = config;
    const credential = this.#credentialOf(config.credential);
    const filled = { ...request, url: this.#fill(request.url, place), headers: this.#fillAll(request.headers, place) };
    const { timeout, retries } = this.#limitsOf(config.limits);
    const { listed, operation } = atPlace(place, () =>
      compileHttpTool({
        description,
        method: filled.method,
        url: filled.url,
        input,
        params: filled.params,
        body: filled.body,
        headers: filled.headers,
        auth: credential?.auth,
        response,
        timeout,
        retries,
        http: this.#caller,
      }),
    );
    const route = new HttpRoute({
      source: "http",
      listing: {
        title,
        description,
        input: (listed as JsonSchemaObject | undefined) ?? NO_ARGUMENTS,
        annotations: { ...annotationsOf(filled.method), ...annotations },
      },
      // Nothing is found by the words of the URL, which may have a secret in it.
      hints: { method: filled.method },
      operation,
      caller: this.#caller,
      forwardHeaders: this.#forwardHeaders,
      repair: compileRepair(listed),
      connect: credential?.connect,
    });
    this.#tools.set(name, { name, route, fingerprint: hash([this.#common, config, filled.url, filled.headers]) });
  }

  async addDocument(config: OpenApiConfig): Promise<void> {
    const place = `servers.${this.#slug}.openapi`;
    const document = await this.#readDocument(config, place);
    if (document === undefined) return;
    const { include, exclude, deprecated, variables, hosts, names, descriptions, arguments: form } = config;
    const { documentUrl } = document;
    const baseUrl = config.baseUrl === undefined ? undefined : this.#fill(config.baseUrl, place);
    const { operations, report } = atPlace(place, () =>
      readOpenApi(document.value, {
        include,
        exclude,
        deprecated,
        names,
        descriptions,
        baseUrl,
        variables,
        hosts,
        documentUrl,
        arguments: form,
        auth: this.#authFor(document.value, config.credential),
        http: this.#caller,
      }),
    );
    for (const imported of operations) {
      const { name, info, listing, operation, request } = imported;
      const { id: operationId, method, path, tags, isDeprecated } = info;
      if (this.#tools.has(name)) {
        this.#problems.push(`The operation ${name} is left out: there is a tool of this name in \`tools\`.`);
        continue;
      }
      const { timeout, retries } = this.#limitsOf(overrideOf(this.#config, name, operationId)?.limits);
      const route = new HttpRoute({
        source: "openapi",
        listing,
        operationId,
        hints: { method, path, tags, isDeprecated },
        operation,
        caller: this.#caller,
        forwardHeaders: this.#forwardHeaders,
        timeout,
        retries,
        repair: (args) => imported.repairArguments(args),
        connect: this.#connectOf(operation.auth),
      });
      this.#tools.set(name, {
        name,
        route,
        fingerprint: hash([this.#common, listing, info, request, timeout, retries]),
      });
    }
    this.#problems.push(...report.warnings);
    // What somebody has left out on purpose, or a default has, is no problem.
    const skipped = report.operations.filter((operation) => operation.skipped === "problem");
    for (const { method, path, notes } of skipped.slice(0, 20)) {
      this.#problems.push(`${method} ${path} is no tool: ${notes.join(" ")}`);
    }
    if (skipped.length > 20) this.#problems.push(`${skipped.length - 20} more operations are no tools.`);
    if (report.bytes > MANY_BYTES && this.#config.mode !== "search") {
      const size = `${Math.round(report.bytes / 1024)} KiB, about ${report.tokens} tokens`;
      this.#problems.push(`The tools of the document have ${size}. Use \`include\`, or \`mode: search\`.`);
    }
  }

  /** Reads a document. One that cannot be fetched now may be there later: the server runs without it. */
  async #readDocument(
    { document, credential }: OpenApiConfig,
    place: string,
  ): Promise<{ readonly value: unknown; readonly documentUrl?: string } | undefined> {
    if (typeof document !== "string") return { value: document };
    const name = this.#fill(document, place);
    if (!/^https?:/i.test(name)) {
      const text = await readFile(resolve(this.#host.sources.folder, name), "utf8");
      if (text.length > MAX_DOCUMENT) {
        throw new UsageError("INVALID_DEFINITION", `${place}: The document is too large.`);
      }
      return { value: atPlace(place, () => parseOpenApi(text)) };
    }
    try {
      return { value: parseOpenApi(await this.#fetch(name, credential)), documentUrl: name };
    } catch (error) {
      if (!(error instanceof ToolwireError)) throw error;
      this.#problems.push(`The OpenAPI document could not be fetched, and is tried again: ${error.message}`);
      this.#isIncomplete = true;
      return undefined;
    }
  }

  async #fetch(url: string, credential: string | undefined): Promise<string> {
    const { origin, pathname, search } = new URL(url);
    const request = { method: "GET" as const, origin, path: pathname + search, headers: {}, body: undefined };
    const signal = AbortSignal.timeout(60_000);
    const auth = credential === undefined ? undefined : this.#credentialOf(credential)?.auth;
    await auth?.apply(request, { principal: undefined, signal });
    return fetchDocument(this.#caller, origin + request.path, request.headers, signal);
  }

  /** The credential of a tool: the one it names, or the only one that there is. */
  #credentialOf(name: string | undefined): PreparedCredential | undefined {
    if (name === "none") return undefined;
    if (name !== undefined) return this.#credentials.get(name);
    const [only, ...others] = this.#credentials.values();
    return others.length === 0 ? only : undefined;
  }

  /**
   * The credentials that the document's security schemes need, by name. If none has the name of a scheme, the only one there is
   * stands for all of them.
   */
  #authFor(document: unknown, forDocument: string | undefined): Auth | { readonly [scheme: string]: Auth } | undefined {
    const { schemes } = listOpenApi(document, { include: () => false });
    const found = schemes.flatMap(({ name }) => {
      const auth = this.#credentials.get(name)?.auth;
      return auth === undefined ? [] : [[name, auth] as const];
    });
    if (found.length > 0) return Object.fromEntries(found);
    const [only, ...others] = [...this.#credentials.values()].filter(({ name }) => name !== forDocument);
    return others.length === 0 ? only?.auth : undefined;
  }

  #connectOf(auth: unknown): PreparedCredential["connect"] {
    return [...this.#credentials.values()].find((each) => each.auth === auth)?.connect;
  }

  #limitsOf(limits: LimitsConfig | undefined): {
    readonly timeout: number | undefined;
    readonly retries: number | undefined;
  } {
    const timeout = limits?.timeout ?? this.#config.limits?.timeout;
    return {
      timeout: timeout === undefined ? undefined : readDuration(timeout),
      retries: limits?.retries ?? this.#config.limits?.retries,
    };
  }

  #fill(text: string, place: string): string {
    const filled = fillIn(text, this.#host.sources);
    if ("text" in filled) return filled.text;
    throw new UsageError("INVALID_DEFINITION", `${place}: ${filled.problem}`);
  }

  #fillAll(texts: { readonly [name: string]: string } = {}, place: string): { readonly [name: string]: string } {
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, this.#fill(text, place)]));
  }
}

/** Says where in the configuration an error is. */
function atPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.code, `${place}: ${error.message}`, { cause: error });
  }
}
