import { type AddressRule, createAddressRule } from "./addresses.ts";
import type { GatewayConfig, NetworkConfig } from "../config.ts";
import { DURATION_FORM, readDuration } from "../durations.ts";
import { isLoopback } from "../loopback.ts";
import type { ConfigPath, ConfigProblem } from "../problem.ts";
import {
  explainMissing,
  fillIn,
  lookUp,
  parseReferences,
  type ReferenceSources,
  type TextPart,
} from "../references.ts";
import { explainShortSecret } from "../short-secrets.ts";

/** Schemes of URLs that requests to APIs go to. */
export const HTTP: readonly string[] = ["http:", "https:"];

/** Checks texts of a configuration, and collects what is wrong with them. */
export class Checks {
  readonly problems: ConfigProblem[];
  readonly gateway: GatewayConfig;
  readonly sources: ReferenceSources;
  readonly #addresses: AddressRule;

  private constructor(
    gateway: GatewayConfig,
    sources: ReferenceSources,
    problems: ConfigProblem[],
    addresses: AddressRule,
  ) {
    this.gateway = gateway;
    this.sources = sources;
    this.problems = problems;
    this.#addresses = addresses;
  }

  /** Checks with the rule about addresses of the gateway. */
  static of(gateway: GatewayConfig, sources: ReferenceSources): Checks {
    return new Checks(gateway, sources, [], createAddressRule(gateway.network ?? {}, "at the top of the file"));
  }

  /** The same checks with the rule about addresses of one server. Problems are collected in the same list. */
  within(network: NetworkConfig | undefined, slug: string): Checks {
    if (network === undefined) return this;
    const addresses = createAddressRule(network, `in \`servers.${slug}\``);
    return new Checks(this.gateway, this.sources, this.problems, addresses);
  }

  error(path: ConfigPath, message: string): void {
    this.problems.push({ severity: "error", path, message });
  }

  /** An error that concerns one part alone, which cannot work. */
  fault(path: ConfigPath, message: string): void {
    this.problems.push({ severity: "error", keepsRunning: true, path, message });
  }

  warn(path: ConfigPath, message: string): void {
    this.problems.push({ severity: "warning", path, message });
  }

  duration(duration: number | string | undefined, path: ConfigPath): void {
    if (duration === undefined || (readDuration(duration) ?? 0) > 0) return;
    this.error(path, `This is not a duration: write ${DURATION_FORM}.`);
  }

  /** A URL that the gateway calls, with placeholders and references. Returns it filled in, if requests can be made of it. */
  url(text: string, schemes: readonly string[], path: ConfigPath): string | undefined {
    const filled = this.#parsedUrl(text, schemes, path);
    if (filled !== undefined) this.#address(new URL(withoutPlaceholders(filled)), path);
    return filled;
  }

  /** A URL that people visit. */
  page(text: string, path: ConfigPath): void {
    this.#parsedUrl(text, HTTP, path);
  }

  /** The URL of an authorization server that the gateway calls. */
  issuer(text: string, path: ConfigPath): void {
    const url = this.secureUrl(text, path);
    if (url !== undefined) this.#address(url, path);
  }

  /** The URL by which others reach a listener. */
  publicUrl(text: string, path: ConfigPath): void {
    const url = this.secureUrl(text, path);
    if (url === undefined || (url.pathname === "/" && url.search === "" && url.hash === "")) return;
    this.error(path, "This URL must have no path, as in `https://mcp.example.com`.");
  }

  /** A URL to which credentials may be sent: https, or http on this machine. */
  secureUrl(text: string, path: ConfigPath): URL | undefined {
    const filled = this.filled(text, path);
    if (filled === undefined) return undefined;
    const url = URL.canParse(filled) ? new URL(filled) : undefined;
    const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(bareHost(url)));
    if (url !== undefined && isSecure && url.username === "" && url.password === "") return url;
    this.error(path, "This must be a URL that begins with https://, or with http:// on this machine.");
    return undefined;
  }

  /** An origin that requests may go to, besides those of the URLs of a configuration. */
  host(text: string, path: ConfigPath): void {
    const url = text.includes("://") ? text : `https://${text}`;
    if (URL.canParse(url)) this.#address(new URL(url), path);
  }

  /** Fills in the references of a text that may have no secrets; `undefined` if one of them is not set. */
  filled(text: string, path: ConfigPath): string | undefined {
    const filled = fillIn(text, this.sources);
    if ("text" in filled) return filled.text;
    this.error(path, filled.problem);
    return undefined;
  }

  /** The text of a credential that others are sent. Values of single callers are known only when the gateway runs. */
  secret(text: string, path: ConfigPath, isPerUser: boolean): void {
    if (isPerUser) {
      this.#parts(text, path);
      return;
    }
    this.credential(text, path);
    const parts = parseReferences(text);
    if (isNameOfSomebody(path) || typeof parts === "string") return;
    const shortness = explainShortSecret(parts, this.sources);
    if (shortness !== undefined) this.warn(path, shortness);
  }

  /** The text of a credential, which should not be in the file itself. Returns its value if it is known by now. */
  credential(text: string, path: ConfigPath): string | undefined {
    const parts = this.#knownParts(text, path);
    const isLiteral = parts.length > 0 && parts.every(({ kind }) => kind === "text");
    if (isLiteral && !isNameOfSomebody(path)) {
      this.warn(
        path,
        "This credential is in the file itself. Use a reference, as in `${env:NAME}` or `${secret:name}`.",
      );
    }
    const filled = fillIn(text, this.sources);
    return "text" in filled ? filled.text : undefined;
  }

  /** A text in which references are usual, and literals, too. Whether secrets are set is known when the gateway runs. */
  referring(text: string, path: ConfigPath): void {
    this.#knownParts(text, path);
  }

  #knownParts(text: string, path: ConfigPath): readonly TextPart[] {
    const parts = this.#parts(text, path);
    for (const part of parts) {
      if (part.kind !== "env" && part.kind !== "file") continue;
      const reference = { kind: part.kind, name: part.name };
      if (lookUp(reference, this.sources) === undefined) this.error(path, explainMissing(reference, this.sources));
    }
    return parts;
  }

  #parts(text: string, path: ConfigPath): readonly TextPart[] {
    const parts = parseReferences(text);
    if (typeof parts !== "string") return parts;
    this.error(path, parts);
    return [];
  }

  #parsedUrl(text: string, schemes: readonly string[], path: ConfigPath): string | undefined {
    const filled = this.filled(text, path);
    if (filled === undefined) return undefined;
    const plain = withoutPlaceholders(filled);
    const url = URL.canParse(plain) ? new URL(plain) : undefined;
    if (url === undefined || !schemes.includes(url.protocol)) {
      const expected = schemes.map((scheme) => `${scheme}//`).join(" or ");
      this.error(path, `This is not a URL to call. It must be absolute and begin with ${expected}.`);
    } else if (url.username !== "" || url.password !== "") {
      this.error(path, "A URL must not contain credentials. Put them into `credentials`.");
    } else if (/^[^/]*\/\/[^/?#]*\{/.test(filled)) {
      this.error(path, "No argument can change scheme, host or port: `{…}` belongs behind the host.");
    } else return filled;
    return undefined;
  }

  #address(url: URL, path: ConfigPath): void {
    const refusal = this.#addresses.findRefusal(url);
    if (refusal !== undefined) this.fault(path, refusal);
  }
}

/** Whether a text of a credential only says whose it is. */
function isNameOfSomebody(path: ConfigPath): boolean {
  return ["username", "clientId"].includes(String(path.at(-1)));
}

/** Placeholders may be anywhere but in the host. */
function withoutPlaceholders(url: string): string {
  return url.replaceAll(/\{[^{}]*\}/g, "x");
}

function bareHost({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$/g, "");
}
