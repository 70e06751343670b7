/** The kinds of credentials that need nothing but their value. */
import { UsageError } from "@toolwire/protocol";
import { expectChoice, expectOption, expectOptions, isObject, type OptionNames } from "@toolwire/protocol/internal";
import type { Awaitable } from "@toolwire/server";
import { expectHeaderName } from "../request/headers.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Auth, AuthSubject } from "./auth.ts";
import { type CredentialValue, expectCredential, noteSecret, withCredential } from "./credential-value.ts";

/** Sends a token as `Authorization: Bearer …` (RFC 6750). */
export function bearer(token: CredentialValue): Auth {
  const value = expectCredential("token", token);
  return {
    kind: "bearer",
    apply: (request, subject) =>
      withCredential(value, subject, (text) => {
        request.headers["authorization"] = `Bearer ${text}`;
        noteSecret(request, text);
      }),
  };
}

/** The options of {@link apiKey}. */
export interface ApiKeyOptions {
  readonly value: CredentialValue;
  /** Where the key is sent. Default `header`. Keys in a query end up in logs of the API: prefer a header. */
  readonly in?: "header" | "query" | "cookie" | undefined;
  /** The name of the header, parameter or cookie, such as `X-API-Key`. */
  readonly name: string;
  /** Written before the key, such as `Token `. */
  readonly prefix?: string | undefined;
}

const API_KEY_OPTIONS: OptionNames<ApiKeyOptions> = { value: true, in: true, name: true, prefix: true };

/** Sends a key in a header, a parameter of the query or a cookie. */
export function apiKey(options: ApiKeyOptions): Auth {
  expectOptions("apiKey", options, API_KEY_OPTIONS);
  const { name, prefix = "" } = options;
  const value = expectCredential("value", options.value);
  const place = expectChoice("in", ["header", "query", "cookie"], options.in);
  expectOption("name", name, typeof name === "string" && name !== "", "the name of a header, parameter or cookie");
  expectCredential("prefix", prefix);
  const write = compileKeyPlace(place, name);
  return {
    kind: `apiKey in ${place}`,
    apply: (request, subject) =>
      withCredential(value, subject, (text) => {
        write(request, prefix + text);
        noteSecret(request, text);
        // APIs that repeat their URL or their cookies repeat what was written there.
        const encoded = place === "header" ? text : encodeURIComponent(text);
        if (encoded !== text) noteSecret(request, encoded);
      }),
  };
}

function compileKeyPlace(
  place: "header" | "query" | "cookie",
  name: string,
): (request: HttpRequest, text: string) => void {
  if (place === "header") {
    const header = expectHeaderName(name);
    return (request, text) => {
      request.headers[header] = text;
    };
  }
  const key = encodeURIComponent(name);
  if (place === "query") {
    return (request, text) => {
      const path = withoutPair(request.path, key);
      request.path = `${path}${path.includes("?") ? "&" : "?"}${key}=${encodeURIComponent(text)}`;
    };
  }
  return (request, text) => {
    const others = (request.headers["cookie"] ?? "")
      .split("; ")
      .filter((pair) => pair !== "" && !pair.startsWith(`${key}=`));
    request.headers["cookie"] = [...others, `${key}=${encodeURIComponent(text)}`].join("; ");
  };
}

/** Removes parameters of this name, so that the credential is the only one. */
function withoutPair(path: string, key: string): string {
  const at = path.indexOf("?");
  if (at === -1 || !path.includes(`${key}=`, at)) return path;
  const pairs = path.slice(at + 1).split("&");
  const others = pairs.filter((pair) => !pair.startsWith(`${key}=`));
  return others.length === 0 ? path.slice(0, at) : `${path.slice(0, at)}?${others.join("&")}`;
}

/** The options of {@link basic}. */
export interface BasicOptions {
  readonly username: CredentialValue;
  /** May be empty: some APIs take a key as the user name alone. */
  readonly password: CredentialValue;
}

const BASIC_OPTIONS: OptionNames<BasicOptions> = { username: true, password: true };

/** Sends a user name and a password as `Authorization: Basic …`, in UTF-8 (RFC 7617). */
export function basic(options: BasicOptions): Auth {
  expectOptions("basic", options, BASIC_OPTIONS);
  const { username, password } = options;
  for (const name of ["username", "password"] as const) {
    const value: unknown = options[name];
    if (typeof value === "string" || typeof value === "function") continue;
    throw new UsageError("INVALID_ARGUMENT", `\`${name}\` of basic() must be text, or a function that returns text.`);
  }
  if (typeof username === "string") expectUserName(username);
  return {
    kind: "basic",
    apply: (request, subject) => {
      let user = "";
      const first = withText(username, subject, (text) => {
        user = expectUserName(text);
      });
      const finish = (): Awaitable<void> =>
        withText(password, subject, (text) => {
          const encoded = toBase64(`${user}:${text}`);
          request.headers["authorization"] = `Basic ${encoded}`;
          noteSecret(request, encoded);
          noteSecret(request, text);
          // Without a password, the user name is the secret.
          if (text === "") noteSecret(request, user);
        });
      return first instanceof Promise ? first.then(finish) : finish();
    },
  };
}

/** Like `withCredential`, but for text of any characters: it is encoded before it is sent. */
function withText(value: CredentialValue, subject: AuthSubject, use: (text: string) => void): Awaitable<void> {
  return typeof value === "string" ? use(value) : withCredential(value, subject, use);
}

function expectUserName(username: string): string {
  if (!username.includes(":")) return username;
  throw new UsageError("INVALID_ARGUMENT", "The user name of basic() must not contain a colon (RFC 7617, section 2).");
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Sends several headers, for APIs that want more than one. */
export function headers(values: { readonly [name: string]: CredentialValue }): Auth {
  expectOption("headers", values, isObject(values), "an object of names and values");
  const all = Object.entries(values).map(
    ([name, value]) => [expectHeaderName(name), expectCredential(name, value)] as const,
  );
  return {
    kind: "headers",
    apply(request, subject) {
      const waiting: Promise<void>[] = [];
      for (const [name, value] of all) {
        const applied = withCredential(value, subject, (text) => {
          request.headers[name] = text;
          noteSecret(request, text);
        });
        if (applied instanceof Promise) waiting.push(applied);
      }
      return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
    },
  };
}

/** Sends several credentials with each request, for APIs that want all of them. */
export function combineAuth(...all: readonly Auth[]): Auth {
  return {
    kind: all.map(({ kind }) => kind).join(" and "),
    apply(request, subject) {
      const waiting = all.map((auth) => auth.apply(request, subject)).filter((applied) => applied !== undefined);
      return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
    },
    renew(subject) {
      // All of them are asked: any may be the one that was refused.
      return all.map((auth) => auth.renew?.(subject) ?? false).includes(true);
    },
  };
}
