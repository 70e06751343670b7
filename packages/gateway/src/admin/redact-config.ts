/**
 * Configurations as the admin API shows them. A credential may be written into the configuration as text; nobody gets to read it
 * here. References such as `${env:NAME}` say only where a value is, and stay.
 */
import { invalid } from "./http/admin-error.ts";
import { isObject, type JsonBody } from "./http/request.ts";

/** Stands for a text that is kept, and not shown. */
export const HIDDEN = "[secret]";

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
  if (Array.isArray(value)) return redactList(value, isSecret, depth);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      // Schemas describe credentials, and do not hold any: `properties.token` is an object with a type.
      if (name === "input" || name === "document") {
        return [name, typeof member === "string" ? hideInUrl(member) : member];
      }
      if (name === "request" && isObject(member)) return [name, redactRequest(member, depth + 1)];
      // The private key of a client, and no argument of a tool that is called so.
      const isPrivateKey = name === "key" && Object.hasOwn(value, "issuer");
      const holdsSecrets =
        isSecret || isPrivateKey || SECRET_MEMBERS.has(name) || (depth > 0 && name === "url" && isConnection(member));
      return [name, redact(member, holdsSecrets, depth + 1)];
    }),
  );
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

/** The arguments of a command: `--token x` and `--token=x` give a credential away. */
function redactList(items: readonly unknown[], isSecret: boolean, depth: number): readonly unknown[] {
  return items.map((item, index) => {
    const flag: unknown = items[index - 1];
    const follows = typeof flag === "string" && flag.startsWith("-") && !flag.includes("=") && SECRET_NAME.test(flag);
    if (typeof item === "string") {
      const match = /^(--?[\w-]+=)([^]*)$/.exec(item);
      if (match !== null && SECRET_NAME.test(match[1] ?? "")) return `${match[1]}${hide(match[2] ?? "")}`;
    }
    return redact(item, isSecret || follows, depth + 1);
  });
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
  return typeof value === "string" && /^postgres(?:ql)?:/i.test(value);
}

/**
 * Puts texts that were hidden back where somebody sends a configuration as it was shown. A hidden text that has no counterpart
 * is refused: it would become the credential.
 */
export function restoreHidden(next: unknown, current: unknown, place = ""): unknown {
  if (typeof next === "string") {
    if (!next.includes(HIDDEN)) return next;
    if (typeof current === "string" && next === redactLike(next, current)) return current;
    throw invalid(
      `${place === "" ? "The configuration" : place} is ${JSON.stringify(HIDDEN)}, and there is no value here that it could stand for. Write the value, or a reference such as \${secret:name}.`,
    );
  }
  if (Array.isArray(next)) {
    const items: readonly unknown[] = Array.isArray(current) ? current : [];
    return next.map((item, index) => restoreHidden(item, items[index], `${place}[${index}]`));
  }
  if (!isObject(next)) return next;
  const members = isObject(current) ? current : {};
  return Object.fromEntries(
    Object.entries(next).map(([name, member]) => [
      name,
      restoreHidden(
        member,
        Object.hasOwn(members, name) ? members[name] : undefined,
        place === "" ? name : `${place}.${name}`,
      ),
    ]),
  );
}

/** The form in which `current` was shown, if that can be `next`. */
function redactLike(next: string, current: string): string {
  if (next === HIDDEN) return hide(current);
  const inUrl = hideInUrl(current);
  if (next === inUrl) return inUrl;
  const match = /^(--?[\w-]+=)([^]*)$/.exec(current);
  return match === null ? inUrl : `${match[1]}${hide(match[2] ?? "")}`;
}
