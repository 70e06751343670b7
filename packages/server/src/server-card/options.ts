import type { CardHeader, CardInput, CardRepository } from "@toolwire/protocol";
import {
  expectLimit,
  expectMilliseconds,
  expectOption,
  expectOptions,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import { isLoopbackAddress } from "../bindings/admission/hosts.ts";

/**
 * What a server cannot know of itself, and says in its card: where clients reach it, and who publishes it. The rest comes from
 * `createServer`. A card is public, even if the server is not.
 */
export interface ServerCardOptions {
  /** The URL by which clients reach the endpoint, such as `https://mcp.example.com/mcp`. http is for this machine only. */
  readonly url: string;
  /**
   * The domain of the publisher in reverse, such as `com.example`. The card of a server called `weather` then says
   * `com.example/weather`. Not needed if the server's own name is of that form.
   */
  readonly namespace?: string | undefined;
  /** What the server is for, in at most 100 characters. Default: the `description` of the server. */
  readonly description?: string | undefined;
  /** Header fields that clients have to send, such as keys. They are described, without any secret. */
  readonly headers?: readonly CardHeader[] | undefined;
  /** Where the source code is. */
  readonly repository?: CardRepository | undefined;
  /** Data of your own, by names with the prefix of a domain of yours, such as `com.example/region`. */
  readonly meta?: { readonly [key: string]: unknown } | undefined;
  /** How many milliseconds clients may use the card and the catalog before they ask again. Default an hour. */
  readonly maxAge?: number | undefined;
  /**
   * How many requests for the card and the catalog are answered in a minute. One public address gets a tenth of them. More get a 429.
   * Default 6000.
   */
  readonly maxRequestsPerMinute?: number | undefined;
}

/** Checked options. */
export interface ServerCardSettings extends Omit<ServerCardOptions, "maxAge" | "maxRequestsPerMinute"> {
  readonly maxAge: number;
  readonly maxRequestsPerMinute: number;
}

const CARD_OPTIONS: OptionNames<ServerCardOptions> = {
  url: true,
  namespace: true,
  description: true,
  headers: true,
  repository: true,
  meta: true,
  maxAge: true,
  maxRequestsPerMinute: true,
};

const INPUT: OptionNames<CardInput> = {
  description: true,
  isRequired: true,
  isSecret: true,
  format: true,
  default: true,
  placeholder: true,
  value: true,
  choices: true,
};
const HEADER: OptionNames<CardHeader> = { name: true, variables: true, ...INPUT };
const REPOSITORY: OptionNames<CardRepository> = { url: true, source: true, subfolder: true, id: true };

const HOUR = 3_600_000;

/** The default of {@link ServerCardOptions.maxRequestsPerMinute}. */
export const MAX_REQUESTS_PER_MINUTE = 6000;

/** Checks the options. Names and texts are checked where they are put together. */
export function readServerCardOptions(given: ServerCardOptions): ServerCardSettings {
  expectOption("serverCard", given, isObject(given), 'an object with the public URL, as in { url: "https://…" }');
  const options = expectOptions("serverCard", given, CARD_OPTIONS);
  for (const header of options.headers ?? []) {
    expectOptions("serverCard.headers", header, HEADER);
    for (const input of Object.values(header.variables ?? {})) {
      expectOptions("serverCard.headers.variables", input, INPUT);
    }
  }
  if (options.repository !== undefined) expectOptions("serverCard.repository", options.repository, REPOSITORY);
  return {
    ...options,
    url: expectPublicUrl("serverCard.url", options.url),
    maxAge: expectMilliseconds("serverCard.maxAge", options.maxAge, HOUR),
    maxRequestsPerMinute: expectLimit(
      "serverCard.maxRequestsPerMinute",
      options.maxRequestsPerMinute,
      MAX_REQUESTS_PER_MINUTE,
    ),
  };
}

/**
 * A URL that strangers may read and connect to: https, or http on this machine ("Transport Security"). A query or a user name could be
 * a secret, and has no place in it.
 */
export function expectPublicUrl(name: string, given: string): string {
  const expected = "an https URL without user name and query, or an http URL of this machine";
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) return expectOption(name, given, false, expected);
  const { protocol, hostname, username, password, search, hash } = url;
  const isPlain = [username, password, search, hash].every((part) => part === "");
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackAddress(hostname));
  // What is wrong may be a secret, so it is not shown.
  return expectOption(name, isPlain && isSafe ? url.href : url.origin, isPlain && isSafe, expected);
}
