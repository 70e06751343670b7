/**
 * Configurations as the admin API shows them. A credential may be written into the configuration as text; nobody gets to read it
 * here. References such as `${env:NAME}` say only where a value is, and stay.
 */
import { SECRET_MARK } from "../secrets/secret.ts";
import { invalid } from "./http/admin-error.ts";
import { isObject, type JsonBody } from "./http/request.ts";

/** Stands for a text that is kept, and not shown. */
export const HIDDEN: string = SECRET_MARK;

/** Members whose every text is a credential, or may be one. */
const SECRET_MEMBERS = new Set([
  "bearer",
  "apiKey",
  "username",
  "password",
  "clientId",
  "clientSecret",
  "secret",
  "assertion",
  "idToken",
  "refreshToken",
  "token",
  "stateKey",
  "env",
  "headers",
  "basic",
]);

/** Names that people give to members, flags and parameters with credentials in them. */
const SECRET_NAME = /auth|cookie|credential|key|passw|secret|token/i;

const REFERENCES_ONLY = /^(?:(?:Basic|Bearer|Token) )?(?:\$\{(?:env|file|secret):[^{}]{1,256}\}[\s:,;]*)+$/i;
const MAX_DEPTH = 64;

/** A copy of a configuration in which every text that may be a credential is replaced. */
export function redactConfig(config: unknown): unknown {
  return redact(config, false, 0);
}

function redact(value: unknown, isSecret: boolean, depth: number): unknown {
  if (depth > MAX_DEPTH) return HIDDEN;
  if (typeof value === "string") return isSecret ? hide(value) : hideInUrl(value);
  if (Array.isArray(value)) return value.map((item) => redact(item, isSecret, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (isShownWhole(name, member)) return [name, member];
      if (name === "request" && isObject(member)) return [name, redactRequest(member, depth + 1)];
      if (name === "args" && Array.isArray(member)) return [name, redactArguments(member, isSecret, depth + 1)];
      // The private key of a client, and no argument of a tool that is called so.
      const isPrivateKey = name === "key" && Object.hasOwn(value, "issuer");
      const holdsSecrets =
        isSecret || isPrivateKey || SECRET_MEMBERS.has(name) || (depth > 0 && name === "url" && isConnection(member));
      return [name, redact(member, holdsSecrets, depth + 1)];
    }),
  );
}

/** Schemas and documents describe credentials, and do not hold any: `properties.token` is an object with a type. */
function isShownWhole(name: string, member: unknown): boolean {
  return (name === "input" || name === "document") && typeof member !== "string";
}

/** A request of a tool. Most of its fixed headers are harmless, such as `accept`. */
function redactRequest({ headers, ...others }: JsonBody, depth: number): JsonBody {
  const shown = redact(others, false, depth) as JsonBody;
  if (!isObject(headers)) return shown;
  const entries = Object.entries(headers).map(([name, value]): [string, unknown] => [
    name,
    redact(value, SECRET_NAME.test(name), depth + 2),
  ]);
  return { ...shown, headers: Object.fromEntries(entries) };
}

/**
 * The arguments of a command. `--token x` gives a credential away, and so do `--token=x`, `API_TOKEN=x` as for `docker run -e`,
 * `Authorization: x` as for `--header`, and JSON.
 */
function redactArguments(items: readonly unknown[], isSecret: boolean, depth: number): readonly unknown[] {
  return items.map((item, index) => {
    const flag: unknown = items[index - 1];
    const follows = typeof flag === "string" && /^-[^=:]+$/.test(flag) && SECRET_NAME.test(flag);
    if (typeof item !== "string" || isSecret || follows) return redact(item, isSecret || follows, depth + 1);
    if (/^\s*[[{]/.test(item) && SECRET_NAME.test(item)) return hide(item);
    const start = startOfSecret(item);
    return start === undefined ? redact(item, false, depth + 1) : item.slice(0, start) + hide(item.slice(start));
  });
}

/** Where the value of a secret name begins. Names may follow each other: `--env=API_KEY=x`. */
function startOfSecret(text: string): number | undefined {
  for (const { 0: name, index } of text.matchAll(/[\w.-]+[=:] */gy)) {
    if (SECRET_NAME.test(name)) return index + name.length;
  }
  return undefined;
}

function hide(text: string): string {
  return text === "" || REFERENCES_ONLY.test(text) ? text : HIDDEN;
}

/** URLs may have a password or a key in them. */
function hideInUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const withoutUser = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`);
  return withoutUser.replace(/([?&])([^?=&#]*)=([^&#]*)/g, (whole, mark: string, name: string, value: string) =>
    SECRET_NAME.test(name) && hide(value) === HIDDEN ? `${mark}${name}=${HIDDEN}` : whole,
  );
}

/** The address of a database has its password in it, and more parts than are worth telling apart. */
function isConnection(value: unknown): boolean {
  return typeof value === "string" && /^(?:postgres(?:ql)?|rediss?):/i.test(value);
}

/**
 * Puts texts that were hidden back where somebody sends a configuration as it was shown. A hidden text that has no counterpart
 * is refused: it would become the credential.
 */
export function restoreHidden(next: unknown, current: unknown): unknown {
  return restore(next, current, redactConfig(current), "");
}

/** `shown` is the form in which `current` was shown. */
function restore(next: unknown, current: unknown, shown: unknown, place: string): unknown {
  if (typeof next === "string") {
    if (!next.includes(HIDDEN)) return next;
    if (next === shown) return current;
    throw invalid(
      `${place === "" ? "The configuration" : place} is ${JSON.stringify(HIDDEN)}, and there is no value here that it could stand for. Write the value, or a reference such as \${secret:name}.`,
    );
  }
  if (Array.isArray(next)) {
    return next.map((item, index) => {
      // The argument before says what this one is for. After another one, it would become another credential.
      const isMoved = item === HIDDEN && next[index - 1] !== itemAt(shown, index - 1);
      const known = isMoved ? undefined : itemAt(shown, index);
      return restore(item, itemAt(current, index), known, `${place}[${index}]`);
    });
  }
  if (!isObject(next)) return next;
  return Object.fromEntries(
    Object.entries(next).map(([name, member]) => {
      if (isShownWhole(name, member)) return [name, member];
      return [
        name,
        restore(member, memberOf(current, name), memberOf(shown, name), place === "" ? name : `${place}.${name}`),
      ];
    }),
  );
}

function itemAt(list: unknown, index: number): unknown {
  return Array.isArray(list) ? list[index] : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
