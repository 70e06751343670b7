import { UsageError } from "@toolwire/server";
import { invalidOption } from "@toolwire/protocol/internal";
import type { DocumentModel, OperationModel, ServerModel } from "../document/model.ts";
import { cleanLine } from "../schema/describe.ts";
import type { OpenApiOptions } from "./options.ts";

/** The base URL of an operation, or the reason why there is none. */
export type BaseUrl = { readonly url: string; readonly problem?: undefined } | { readonly problem: string };

/**
 * Decides where requests go. A document is data: it may choose a path, and a host only among those that the user has named.
 */
export class BaseUrls {
  readonly #configured: string | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #options: OpenApiOptions;
  readonly #main: BaseUrl;
  /** The servers that `baseUrl` stands for, each in a form in which they can be compared. */
  readonly #replaced: ReadonlySet<string>;

  constructor({ servers, operations }: Pick<DocumentModel, "servers" | "operations">, options: OpenApiOptions) {
    this.#options = options;
    this.#configured = options.baseUrl === undefined ? undefined : expectBaseUrl("baseUrl", options.baseUrl);
    // A document without servers is read as one whose server is "/".
    const general = servers.every(({ url }) => url === "/") ? serversOfAll(operations) : servers;
    this.#replaced = new Set(general.map(identify));
    const origins = (options.hosts ?? []).map(originOfHost);
    if (this.#configured !== undefined) origins.push(new URL(this.#configured).origin);
    this.#origins = new Set(origins);
    this.#main = this.#configured === undefined ? this.#choose(servers) : { url: this.#configured };
  }

  /**
   * The base URL of an operation whose own servers are given, if it has any. `baseUrl` stands for all servers that the document
   * has for its operations in general, also where a path or an operation repeats one of them.
   */
  baseUrlOf(own: readonly ServerModel[]): BaseUrl {
    if (own.length === 0) return this.#main;
    const isRepeated = own.some((server) => this.#replaced.has(identify(server)));
    return isRepeated && this.#configured !== undefined ? this.#main : this.#choose(own);
  }

  /** The first server at an allowed host. */
  #choose(servers: readonly ServerModel[]): BaseUrl {
    let problem: string | undefined;
    for (const server of servers) {
      const resolved = this.#resolve(server);
      if (resolved.problem !== undefined) problem ??= resolved.problem;
      else if (this.#origins.has(new URL(resolved.url).origin)) return resolved;
      else problem ??= describeRefusal(resolved.url, this.#configured);
    }
    return { problem: problem ?? "The document names no server. Pass `baseUrl`" };
  }

  /** A relative server that is not where the document is, is where the API is. */
  #resolve(server: ServerModel): BaseUrl {
    const resolved = resolveServer(server, this.#options, this.#options.documentUrl ?? this.#configured);
    if (this.#configured === undefined || !isRelative(server)) return resolved;
    const isAllowed = resolved.problem === undefined && this.#origins.has(new URL(resolved.url).origin);
    return isAllowed ? resolved : resolveServer(server, this.#options, this.#configured);
  }
}

/** The servers of a document that names them at each operation and nowhere else. */
function serversOfAll(operations: readonly OperationModel[]): readonly ServerModel[] {
  const [first, ...others] = operations.map(({ servers }) => new Set(servers.map(identify)));
  if (first === undefined) return [];
  return operations[0]!.servers.filter((server) => {
    const identity = identify(server);
    return others.every((each) => each.has(identity));
  });
}

/** Servers are the same if only one says that it is HTTPS, or ends in a slash. */
function identify({ url }: ServerModel): string {
  return url.replace(/^(?:https:)?\/\//i, "//").replace(/\/$/, "");
}

/** Whether a server is a path only. */
function isRelative({ url }: ServerModel): boolean {
  return !url.startsWith("//") && !/^(?:[a-z][a-z\d+.-]*:|\{)/i.test(url);
}

function describeRefusal(url: string, configured: string | undefined): string {
  const { host, origin, protocol } = new URL(url);
  const entry = protocol === "https:" ? host : origin;
  if (configured !== undefined) {
    return `It has a server of its own, ${url}, which is not at \`baseUrl\`. Pass \`hosts: ["${entry}"]\` to allow it`;
  }
  return (
    `Its server is ${url}, and a document does not choose where requests go. ` +
    `Pass \`baseUrl\`, or \`hosts: ["${entry}"]\` to allow it`
  );
}

/** Fills in the variables of a server, and resolves it against a base. */
function resolveServer(server: ServerModel, options: OpenApiOptions, base: string | undefined): BaseUrl {
  let problem: string | undefined;
  const filled = server.url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = server.variables.get(name);
    const chosen =
      options.variables !== undefined && Object.hasOwn(options.variables, name) ? options.variables[name] : undefined;
    const value = chosen ?? variable?.value;
    if (value === undefined) problem ??= `Its server has the variable "${name}". Pass \`variables: { ${name}: … }\``;
    else if (variable !== undefined && variable.allowed.length > 0 && !variable.allowed.includes(value)) {
      problem ??= `The variable "${name}" of its server must be one of ${variable.allowed.slice(0, 20).join(", ")}`;
    }
    return value ?? "";
  });
  if (problem !== undefined) return { problem };
  const url = parseUrl(filled, base);
  if (url === undefined) {
    const shown = cleanLine(filled, 100);
    const fault = filled.startsWith("//") ? "which has no scheme" : base === undefined ? "which is relative" : "no URL";
    return { problem: `Its server is "${shown}", ${fault}. Pass \`baseUrl\`` };
  }
  const fault = findFault(url);
  if (fault !== undefined) return { problem: `Its server ${fault}` };
  return { url: writeUrl(url) };
}

/** The servers that a document suggests, with the default values of variables, and what is wrong with its others. */
export function suggestServers(
  servers: readonly ServerModel[],
  options: OpenApiOptions,
): { readonly usable: readonly string[]; readonly problems: readonly string[] } {
  const usable: string[] = [];
  const problems: string[] = [];
  for (const server of servers) {
    const resolved = resolveServer(server, options, options.documentUrl);
    if (resolved.problem === undefined) usable.push(resolved.url);
    // A document without servers is read as one whose server is "/".
    else problems.push(server.url === "/" ? "The document names no server." : `${resolved.problem}.`);
  }
  return { usable, problems };
}

/** Checks a base URL that the user has given. */
export function expectBaseUrl(option: string, value: string): string {
  const url = typeof value === "string" ? parseUrl(value) : undefined;
  if (url === undefined) throw invalidOption(option, value, "an absolute URL such as https://api.example.com/v1");
  const fault = findFault(url);
  if (fault !== undefined) throw new UsageError("INVALID_ARGUMENT", `\`${option}\` ${fault}.`);
  return writeUrl(url);
}

function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function findFault(url: URL): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return `is not at https: or http:, but at ${url.protocol}`;
  if (url.username !== "" || url.password !== "") return "contains a user name or a password: use `auth`";
  if (url.search !== "" || url.hash !== "") return "has a query or a fragment, which a base URL cannot have";
  return undefined;
}

function writeUrl(url: URL): string {
  return url.origin + url.pathname.replace(/\/$/, "");
}

/** `api.example.com` and `api.example.com:8443` stand for HTTPS. Any other origin is written out. */
function originOfHost(host: string): string {
  const url = typeof host === "string" ? parseUrl(host.includes("://") ? host : `https://${host}`) : undefined;
  if (url === undefined || findFault(url) !== undefined || url.pathname !== "/") {
    throw invalidOption("hosts", host, 'hosts such as "api.example.com", or origins such as "http://localhost:8080"');
  }
  return url.origin;
}
