import { type CardHeader, type CardInput, type CardRemote, UsageError } from "@toolwire/protocol";
import { expectOption, isObject } from "@toolwire/protocol/internal";

/** Where to connect, and what to send along. */
export interface ResolvedRemote {
  readonly type: CardRemote["type"];
  readonly url: string;
  /** Header fields, names in lower case. They may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A name in braces. */
const PLACEHOLDER = /\{([a-zA-Z_][a-zA-Z0-9_]*)\}/g;

/**
 * Fills in an endpoint of a card: the names in braces of its URL and of its header fields, and the fields that have no value of their own.
 * `values` are by these names, or by the name of the field. What is not given has its default, if there is one.
 *
 * @throws UsageError naming everything that is missing or does not fit, without any value
 *
 * @example
 * ```ts
 * const { url, headers } = resolveRemote(card.remotes[0], { tenant: "acme", key: process.env.ACME_KEY });
 * const client = await connect(url, { http: { headers } });
 * ```
 */
export function resolveRemote(
  remote: CardRemote,
  values: { readonly [name: string]: string | undefined } = {},
): ResolvedRemote {
  expectOption("remote", remote, isObject(remote) && typeof remote.url === "string", "an endpoint of a card");
  expectOption("values", values, isObject(values), "an object with texts by name");
  const problems: string[] = [];
  const url = fillUrl(remote, values, problems);
  const headers: [string, string][] = [];
  for (const header of remote.headers ?? []) {
    const value = valueOf(header, values, problems);
    if (value === undefined) continue;
    // Control characters would end the field, and begin another one (RFC 9110, section 5.5).
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) problems.push(`${header.name} must be one line of text`);
    headers.push([header.name.toLowerCase(), value]);
  }
  if (problems.length > 0) {
    throw new UsageError("INVALID_ARGUMENT", `The endpoint cannot be used as it is: ${problems.join("; ")}.`);
  }
  return { type: remote.type, url, headers: Object.fromEntries(headers) };
}

function fillUrl({ url, variables }: CardRemote, values: Values, problems: string[]): string {
  const filled = url.replaceAll(PLACEHOLDER, (_, name: string, at: number) => {
    const value = readInput(name, { isRequired: true, ...own(variables, name) }, values, problems) ?? "";
    // A part must not become another host or another path; only a value in front can be a whole URL.
    if (at > 0 && /[/\\?#@\s]/.test(value)) problems.push(`${name} must not contain any of / \\ ? # @`);
    return value;
  });
  if (problems.length === 0 && !(URL.canParse(filled) && /^https?:$/.test(new URL(filled).protocol))) {
    problems.push("its URL is no http URL with these values");
  }
  return filled;
}

type Values = { readonly [name: string]: string | undefined };

/** The value of a header field; `undefined` if it is left out. */
function valueOf(header: CardHeader, values: Values, problems: string[]): string | undefined {
  const { name, value: template, variables, isRequired = false } = header;
  if (template === undefined) return readInput(name, header, values, problems);
  let isComplete = true;
  const filled = template.replaceAll(PLACEHOLDER, (text, variable: string) => {
    const input = own(variables, variable);
    // A name that is described nowhere is just text.
    if (input === undefined) return text;
    const value = readInput(variable, { ...input, isRequired: isRequired || input.isRequired }, values, problems);
    isComplete &&= value !== undefined;
    return value ?? "";
  });
  return isComplete ? filled : undefined;
}

function readInput(name: string, input: CardInput, values: Values, problems: string[]): string | undefined {
  const value = input.value ?? own(values, name) ?? input.default;
  if (value === undefined) {
    if (input.isRequired === true) problems.push(`${name} is missing${explain(input)}`);
    return undefined;
  }
  const { choices, format } = input;
  if (choices !== undefined && !choices.includes(value)) {
    problems.push(`${name} must be one of ${choices.slice(0, 20).join(", ")}`);
  }
  if (format === "number" && !/^-?\d+(?:\.\d+)?$/.test(value)) problems.push(`${name} must be a number`);
  if (format === "boolean" && value !== "true" && value !== "false") problems.push(`${name} must be true or false`);
  return value;
}

function explain({ description }: CardInput): string {
  return description === undefined ? "" : ` (${description.slice(0, 200)})`;
}

/** A member that is an object's own: names come from strangers. */
function own<T>(from: { readonly [name: string]: T } | undefined, name: string): T | undefined {
  return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;
}
