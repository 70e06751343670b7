import type { UpstreamConfig } from "../config/config.ts";
import type { HostEntry, UrlEntry } from "./host-entry.ts";
import { looksSecret } from "./looks-secret.ts";

/** A server of an application as an upstream of the gateway. */
export interface ConvertedEntry {
  readonly upstream: UpstreamConfig;
  /** Variables that have to be set before the gateway starts, because their values stay out of its configuration. */
  readonly variables: readonly string[];
  /** The host, if it is one that requests may not go to unless `network.allow` names it. */
  readonly privateHost: string | undefined;
  /** What somebody has to do or to know. No values. */
  readonly notes: readonly string[];
}

/**
 * Makes an upstream of a server of an application. Values that look like credentials become references to variables: a
 * configuration is read by more people than a file in somebody's home folder.
 */
export function toUpstream(entry: HostEntry): ConvertedEntry {
  const variables = new Set<string>();
  const notes: string[] = [];
  const refer = (name: string): string => {
    variables.add(name);
    return `\${env:${name}}`;
  };
  /** A text in which only references stay references. */
  const convert = (text: string): string =>
    text.replaceAll(/\$\{(env|input):([A-Za-z_][\w.-]*)\}|\$\{/g, (whole, kind?: string, name?: string) =>
      kind === undefined || name === undefined ? "$${" : refer(kind === "env" ? name : variableName(name)),
    );
  const hide = (name: string, value: string, variable: string): string =>
    looksSecret(name, value) ? refer(variable) : convert(value);

  if ("url" in entry) {
    const url = convert(hideInUrl(entry, refer));
    const headers = Object.entries(entry.headers).map(([name, value]): [string, string] => {
      // The scheme stays readable: `Bearer ${env:DOCS_AUTHORIZATION}`.
      const [, scheme = "", rest = ""] = /^((?:Bearer|Basic|Token) +)?(.*)$/is.exec(value) ?? [];
      return [name, scheme + hide(name, rest, variableName(`${entry.name}_${name}`))];
    });
    return {
      upstream: { url, ...(headers.length > 0 && { headers: Object.fromEntries(headers) }) },
      variables: [...variables],
      privateHost: privateHostOf(entry.url),
      notes,
    };
  }
  const env = Object.entries(entry.env).map(([name, value]): [string, string] => {
    return [name, hide(name, value, /^[A-Za-z_]\w*$/.test(name) ? name : variableName(name))];
  });
  for (const [index, text] of [entry.command, ...entry.args].entries()) {
    if (/\$\{(?:env|input):/.test(text)) {
      notes.push(`${entry.name}: an argument refers to a variable, which arguments cannot do here. Write its value.`);
    }
    // `--api-key=value`, or `--api-key value`.
    const [name = "", value = ""] = text.includes("=") ? text.split("=", 2) : [entry.args[index - 2] ?? "", text];
    if (looksSecret(name.startsWith("-") ? name : "", value)) {
      notes.push(`${entry.name}: an argument looks like a credential, and stays in the file as it is.`);
    }
  }
  return {
    upstream: {
      command: entry.command,
      ...(entry.args.length > 0 && { args: entry.args }),
      ...(env.length > 0 && { env: Object.fromEntries(env) }),
      ...(entry.cwd !== undefined && { cwd: entry.cwd }),
    },
    variables: [...variables],
    privateHost: undefined,
    notes,
  };
}

/** Takes credentials out of the user information and the query of an address. */
function hideInUrl({ name, url }: UrlEntry, refer: (variable: string) => string): string {
  return url
    .replace(/^(\w+:\/\/[^/?#@:]*:)([^/?#@]+)@/, (whole, start: string, password: string) =>
      password.includes("${") ? whole : `${start}${refer(variableName(`${name}_password`))}@`,
    )
    .replaceAll(/([?&])([^=?&#]+)=([^&#]*)/g, (whole, mark: string, key: string, value: string) =>
      looksSecret(key, value) ? `${mark}${key}=${refer(variableName(`${name}_${key}`))}` : whole,
    );
}

/** The host of an address in a private network, as far as its name tells. */
function privateHostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const isPrivate =
    /^(?:localhost|.*\.(?:localhost|local|internal|lan)|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|\[.*\])$/.test(
      hostname,
    );
  return isPrivate ? hostname.replace(/^\[(.*)\]$/, "$1") : undefined;
}

/** The name of a variable of the environment: `API_KEY` for `api-key`. */
function variableName(name: string): string {
  const text = name.toUpperCase().replaceAll(/\W+/g, "_");
  return /^\d/.test(text) ? `_${text}` : text;
}
