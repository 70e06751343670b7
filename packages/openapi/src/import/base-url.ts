import { UsageError } from "@toolwire/server";
import { invalidOption } from "@toolwire/protocol/internal";
import type { ServerModel } from "../document/model.ts";
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

  constructor(servers: readonly ServerModel[], options: OpenApiOptions) {
    this.#options = options;
    this.#configured = options.baseUrl === undefined ? undefined : expectBaseUrl("baseUrl", options.baseUrl);
    const origins = (options.hosts ?? []).map(originOfHost);
    if (this.#configured !== undefined) origins.push(new URL(this.#configured).origin);
    this.#origins = new Set(origins);
    this.#main = this.#configured === undefined ? this.#choose(servers) : { url: this.#configured };
  }

  /** The base URL of an operation whose own servers are given, if it has any. */
  baseUrlOf(own: readonly ServerModel[]): BaseUrl {
    return own.length === 0 ? this.#main : this.#choose(own);
  }

  /** The first server at an allowed host. */
  #choose(servers: readonly ServerModel[]): BaseUrl {
    let problem: string | undefined;
    for (const server of servers) {
      const resolved = resolveServer(server, this.#options);
      if (resolved.problem !== undefined) problem ??= resolved.problem;
      else if (this.#origins.has(new URL(resolved.url).origin)) return resolved;
      else problem ??= describeRefusal(resolved.url);
    }
    return { problem: problem ?? "The document names no server. Pass `baseUrl`" };
  }
}

function describeRefusal(url: string): string {
  const { host, origin, protocol } = new URL(url);
  const entry = protocol === "https:" ? host : origin;
  return (
    `Its server is ${url}, and a document does not choose where requests go. ` +
    `Pass \`baseUrl\`, or \`hosts: ["${entry}"]\` to allow it`
  );
}

/** Fills in the variables of a server, and resolves it against the URL of the document. */
function resolveServer(server: ServerModel, options: OpenApiOptions): BaseUrl {
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
  const { documentUrl } = options;
  const url = parseUrl(filled, documentUrl);
  if (url === undefined) {
    return { problem: `Its server is "${filled.slice(0, 100)}", which is relative. Pass \`baseUrl\`` };
  }
  const fault = findFault(url);
  if (fault !== undefined) return { problem: `Its server ${fault}` };
  return { url: writeUrl(url) };
}

/** The hosts that a document suggests, with the default values of variables. */
export function suggestServers(servers: readonly ServerModel[], options: OpenApiOptions): readonly string[] {
  return servers.flatMap((server) => {
    const resolved = resolveServer(server, options);
    return resolved.problem === undefined ? [resolved.url] : [];
  });
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
