import { SchemaError, untrustedSchemaValidator } from "@toolwire/json-schema";
import { findNearestName } from "@toolwire/json-schema/internal";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type {
  CredentialConfig,
  GatewayConfig,
  HttpToolConfig,
  LimitsConfig,
  ServerConfig,
  UpstreamConfig,
} from "./config.ts";
import { checkServerAuth } from "./check-server-auth.ts";
import { type AuthChecks, checkUpstreamAuth } from "./check-upstream-auth.ts";
import { DURATION_FORM, readDuration } from "./durations.ts";
import { explainUnforwardable } from "./forwarded-headers.ts";
import { isLoopback } from "./loopback.ts";
import type { ConfigPath, ConfigProblem } from "./problem.ts";
import { explainShortSecret } from "./short-secrets.ts";
import { explainUnset, fillIn, lookUp, parseReferences, type ReferenceSources, type TextPart } from "./references.ts";

/** Checks the meaning of a configuration whose form is right: references, URLs, durations, names of credentials, schemas. */
export function checkMeaning(config: GatewayConfig, sources: ReferenceSources): readonly ConfigProblem[] {
  const check = new MeaningCheck(sources, config);
  check.gateway(config);
  for (const [slug, server] of Object.entries(config.servers ?? {})) check.server(server, ["servers", slug]);
  return check.problems;
}

/** Checks the meaning of one server whose form is right, as a part of the configuration of a gateway. */
export function checkServerMeaning(
  server: ServerConfig,
  path: ConfigPath,
  sources: ReferenceSources,
  gateway: GatewayConfig,
): readonly ConfigProblem[] {
  const check = new MeaningCheck(sources, gateway);
  check.server(server, path);
  return check.problems;
}

/** Collects problems. Each method checks one part of a configuration. */
class MeaningCheck {
  readonly problems: ConfigProblem[] = [];
  readonly #sources: ReferenceSources;
  readonly #gateway: GatewayConfig;

  constructor(sources: ReferenceSources, gateway: GatewayConfig) {
    this.#sources = sources;
    this.#gateway = gateway;
  }

  #error(path: ConfigPath, message: string): void {
    this.problems.push({ severity: "error", path, message });
  }

  #warn(path: ConfigPath, message: string): void {
    this.problems.push({ severity: "warning", path, message });
  }

  gateway({ listen = {}, admin, analytics = {}, stateKey }: GatewayConfig): void {
    if (listen.allowedHosts === undefined && listen.publicUrl === undefined && !isLoopback(listen.host)) {
      const example = "as in `allowedHosts: [mcp.example.com]`";
      this.#warn(["listen"], `Clients get a 403 until \`allowedHosts\` has the name by which they call, ${example}.`);
    }
    if (listen.publicUrl !== undefined) this.#publicUrl(listen.publicUrl, ["listen", "publicUrl"]);
    if (admin !== undefined && admin !== false) {
      if (admin.token !== undefined) this.#credentialText(admin.token, ["admin", "token"]);
      if (admin.publicUrl !== undefined) this.#publicUrl(admin.publicUrl, ["admin", "publicUrl"]);
      if (admin.login !== undefined) {
        const { issuer, client } = admin.login;
        this.#secureUrl(issuer, ["admin", "login", "issuer"]);
        if (client.secret !== undefined) this.#credentialText(client.secret, ["admin", "login", "client", "secret"]);
        if (admin.publicUrl === undefined && !isLoopback(admin.host)) {
          const message = "People come back from their login to the page: set `admin.publicUrl`.";
          this.#error(["admin", "login"], message);
        }
      }
      if (!isLoopback(admin.host)) this.#warn(["admin", "host"], "The admin API can be reached from other machines.");
    }
    if (analytics.store === "postgres" && analytics.url === undefined) {
      this.#error(["analytics"], "With `store: postgres`, `url` is needed, as in `url: ${env:DATABASE_URL}`.");
    }
    if (analytics.url !== undefined) this.#credentialText(analytics.url, ["analytics", "url"]);
    for (const [name, duration] of Object.entries(analytics.retention ?? {})) {
      this.#duration(duration, ["analytics", "retention", name]);
    }
    if (stateKey !== undefined) this.#credentialText(stateKey, ["stateKey"]);
  }

  server(server: ServerConfig, path: ConfigPath): void {
    const {
      tools = {},
      openapi,
      upstreams = {},
      credentials = {},
      limits,
      overrides = {},
      forwardHeaders = [],
    } = server;
    this.#limits(limits, [...path, "limits"]);
    checkServerAuth(server, path, this.#authChecks());
    for (const [name, credential] of Object.entries(credentials)) {
      this.#credential(credential, [...path, "credentials", name]);
    }
    for (const [name, tool] of Object.entries(tools)) this.#tool(tool, credentials, [...path, "tools", name]);
    for (const [name, upstream] of Object.entries(upstreams)) {
      const place = [...path, "upstreams", name];
      this.#upstream(upstream, place);
      checkUpstreamAuth(upstream, server, place, this.#authChecks());
    }
    for (const [name, override] of Object.entries(overrides)) {
      this.#limits(override.limits, [...path, "overrides", name, "limits"]);
    }
    if (openapi !== undefined) {
      const place = [...path, "openapi"];
      if (typeof openapi.document === "string") this.#document(openapi.document, [...place, "document"]);
      if (openapi.baseUrl !== undefined) this.#url(openapi.baseUrl, ["http:", "https:"], [...place, "baseUrl"]);
      this.#credentialName(openapi.credential, credentials, [...place, "credential"]);
    }
    for (const [index, header] of forwardHeaders.entries()) this.#forwarded(header, [...path, "forwardHeaders", index]);
    if (openapi === undefined && Object.keys(tools).length === 0 && Object.keys(upstreams).length === 0) {
      this.#warn(path, "This server offers nothing. Give it `tools`, `openapi` or `upstreams`.");
    }
  }

  #tool({ request, input, credential, limits }: HttpToolConfig, credentials: object, path: ConfigPath): void {
    this.#url(request.url, ["http:", "https:"], [...path, "request", "url"]);
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      this.#referringText(value, [...path, "request", "headers", name]);
    }
    this.#limits(limits, [...path, "limits"]);
    this.#credentialName(credential, credentials, [...path, "credential"]);
    if (input === undefined) return;
    try {
      untrustedSchemaValidator.compile(input);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      this.#error([...path, "input"], `This is not a valid JSON Schema: ${error.message}`);
    }
  }

  #document(document: string, path: ConfigPath): void {
    const filled = this.#referringText(document, path);
    if (filled === undefined) return;
    if (/^https?:/i.test(filled)) this.#url(document, ["http:", "https:"], path);
    else if (!existsSync(resolve(this.#sources.folder, filled))) {
      this.#error(path, "There is no such file. Paths are relative to the configuration file.");
    }
  }

  #upstream({ command, url, env = {}, headers = {}, timeout, idleTimeout }: UpstreamConfig, path: ConfigPath): void {
    if ((command === undefined) === (url === undefined)) {
      this.#error(path, "An upstream has either `command`, for a program, or `url`.");
    }
    if (url !== undefined) this.#url(url, ["http:", "https:", "ws:", "wss:"], [...path, "url"]);
    for (const [name, value] of Object.entries(env)) this.#referringSecret(value, [...path, "env", name]);
    for (const [name, value] of Object.entries(headers)) this.#referringSecret(value, [...path, "headers", name]);
    this.#duration(timeout, [...path, "timeout"]);
    this.#duration(idleTimeout, [...path, "idleTimeout"]);
  }

  /** The parts of this check that the checks of logins use. */
  #authChecks(): AuthChecks {
    return {
      gateway: this.#gateway,
      env: this.#sources.env,
      error: (path, message) => this.#error(path, message),
      warn: (path, message) => this.#warn(path, message),
      secret: (text, path, isPerUser) => {
        if (isPerUser) this.#parse(text, path);
        else this.#credentialText(text, path);
      },
      issuer: (text, path) => this.#secureUrl(text, path),
    };
  }

  /** The URL by which others reach a listener. */
  #publicUrl(text: string, path: ConfigPath): void {
    const url = this.#secureUrl(text, path);
    if (url === undefined || (url.pathname === "/" && url.search === "" && url.hash === "")) return;
    this.#error(path, "This URL must have no path, as in `https://mcp.example.com`.");
  }

  /** A URL to which credentials may be sent: https, or http on this machine. */
  #secureUrl(text: string, path: ConfigPath): URL | undefined {
    const filled = this.#referringText(text, path);
    if (filled === undefined) return undefined;
    const url = URL.canParse(filled) ? new URL(filled) : undefined;
    const isSecure =
      url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname.replaceAll(/^\[|\]$/g, "")));
    if (url !== undefined && isSecure && url.username === "" && url.password === "") return url;
    this.#error(path, "This must be a URL that begins with https://, or with http:// on this machine.");
    return undefined;
  }

  #credential(credential: CredentialConfig, path: ConfigPath): void {
    const { connectUrl, perUser } = credential;
    if (connectUrl !== undefined) this.#url(connectUrl, ["http:", "https:"], [...path, "connectUrl"]);
    if ("clientCredentials" in credential) {
      this.#url(credential.clientCredentials.tokenUrl, ["http:", "https:"], [...path, "clientCredentials", "tokenUrl"]);
    }
    const texts = listTexts(credential);
    for (const [member, text] of texts) {
      if (perUser !== true) this.#credentialText(text, [...path, ...member]);
      else this.#parse(text, [...path, ...member]);
    }
    const isSecret = texts.some(([, text]) => text.includes("${secret:"));
    if (perUser === true && !isSecret) {
      this.#error(path, "With `perUser`, the value is a secret of each caller: write it as `${secret:name}`.");
    }
    if ("apiKey" in credential && credential.in === "query") {
      this.#warn(path, "A key in the query may end up in the logs of others. Use a header if the API takes one.");
    }
  }

  #credentialName(name: string | undefined, credentials: object, path: ConfigPath): void {
    if (name === undefined || name === "none" || Object.hasOwn(credentials, name)) return;
    const known = Object.keys(credentials);
    const nearest = findNearestName(name, known);
    const advice =
      nearest === undefined ? `\`credentials\` has ${known.join(", ") || "nothing"}` : `did you mean "${nearest}"?`;
    this.#error(path, `There is no credential of this name; ${advice}.`.replace("?.", "?"));
  }

  #limits(limits: LimitsConfig | undefined, path: ConfigPath): void {
    this.#duration(limits?.timeout, [...path, "timeout"]);
  }

  #duration(duration: number | string | undefined, path: ConfigPath): void {
    if (duration === undefined || (readDuration(duration) ?? 0) > 0) return;
    this.#error(path, `This is not a duration: write ${DURATION_FORM}.`);
  }

  #forwarded(header: string, path: ConfigPath): void {
    const problem = explainUnforwardable(header);
    if (problem !== undefined) this.#error(path, problem);
  }

  /** A URL whose placeholders and references are no mistakes. */
  #url(text: string, schemes: readonly string[], path: ConfigPath): void {
    const filled = this.#referringText(text, path);
    if (filled === undefined) return;
    const expected = `It must be absolute and begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`;
    // Placeholders may be anywhere but in the host.
    const url = URL.canParse(filled.replaceAll(/\{[^{}]*\}/g, "x"))
      ? new URL(filled.replaceAll(/\{[^{}]*\}/g, "x"))
      : undefined;
    if (url === undefined || !schemes.includes(url.protocol)) {
      this.#error(path, `This is not a URL to call. ${expected}.`);
    } else if (url.username !== "" || url.password !== "") {
      this.#error(path, "A URL must not contain credentials. Put them into `credentials`.");
    } else if (/^[^/]*\/\/[^/?#]*\{/.test(filled)) {
      this.#error(path, "No argument can change scheme, host or port: `{…}` belongs behind the host.");
    }
  }

  /** Fills in references; `undefined` if one of them is not set. */
  #referringText(text: string, path: ConfigPath): string | undefined {
    const filled = fillIn(text, this.#sources);
    if ("text" in filled) return filled.text;
    this.#error(path, filled.problem);
    return undefined;
  }

  #parse(text: string, path: ConfigPath): readonly TextPart[] {
    const parts = parseReferences(text);
    if (typeof parts !== "string") return parts;
    this.#error(path, parts);
    return [];
  }

  /** A text in which references are usual, and literals, too. Whether secrets are set is known when the gateway runs. */
  #referringSecret(text: string, path: ConfigPath): readonly TextPart[] {
    const parts = this.#parse(text, path);
    for (const part of parts) {
      if (part.kind !== "env" && part.kind !== "file") continue;
      const reference = { kind: part.kind, name: part.name };
      if (lookUp(reference, this.#sources) === undefined) this.#error(path, explainUnset(reference));
    }
    return parts;
  }

  #credentialText(text: string, path: ConfigPath): void {
    const parts = this.#referringSecret(text, path);
    const isLiteral = parts.length > 0 && parts.every(({ kind }) => kind === "text");
    const isName = ["username", "clientId"].includes(String(path.at(-1)));
    const shortness = isName ? undefined : explainShortSecret(parts, this.#sources);
    if (shortness !== undefined) this.#warn(path, shortness);
    if (isLiteral && !isName) {
      this.#warn(
        path,
        "This credential is in the file itself. Use a reference, as in `${env:NAME}` or `${secret:name}`.",
      );
    }
  }
}

/** The texts of a credential, each with its place in it. */
export function listTexts(credential: CredentialConfig): readonly (readonly [ConfigPath, string])[] {
  if ("bearer" in credential) return [[["bearer"], credential.bearer]];
  if ("apiKey" in credential) return [[["apiKey"], credential.apiKey]];
  if ("basic" in credential) {
    const { username, password } = credential.basic;
    return [
      [["basic", "username"], username],
      [["basic", "password"], password],
    ];
  }
  if ("headers" in credential) {
    return Object.entries(credential.headers).map(([name, text]) => [["headers", name], text] as const);
  }
  if ("clientCredentials" in credential) {
    const { clientId, clientSecret } = credential.clientCredentials;
    return [
      [["clientCredentials", "clientId"], clientId],
      [["clientCredentials", "clientSecret"], clientSecret],
    ];
  }
  return [];
}
