/**
 * Names that other SDKs use for members of definitions and options, each with a hint. The compiler prints the hint if a
 * definition has such a member, and so does the error at run time. Without these names, the compiler would complain about
 * another member: it gives up on inferring types if a required member is missing and an unknown one is there.
 */
import type { NameHints } from "@toolwire/protocol/internal";

/**
 * The hints as optional members of options. No other value fits them. `name` is left out: objects may carry the name
 * under which they are going to be added.
 */
export type Refused<Hints> = { readonly [Name in keyof Hints as Exclude<Name, "name">]?: Hints[Name] };

/** For {@link tool}. */
export const TOOL_HINTS = {
  /** @deprecated Called `run`. */
  execute: "`execute` is called `run` here",
  /** @deprecated Called `run`. */
  handler: "`handler` is called `run` here",
  /** @deprecated Called `run`. */
  callback: "`callback` is called `run` here",
  /** @deprecated Called `input`. */
  inputSchema: "`inputSchema` is called `input` here",
  /** @deprecated Called `input`. */
  parameters: "`parameters` is called `input` here",
  /** @deprecated Called `output`. */
  outputSchema: "`outputSchema` is called `output` here",
  /** @deprecated The key in `tools` is the name. */
  name: "the name of a tool is its key in `tools`; for people, set `title`",
} as const;

/** For {@link createServer}. */
export const SERVER_HINTS: NameHints = {
  capabilities:
    "capabilities follow from what is defined; further ones are those of `extensions`, or go into `experimental`",
};

/** For everything that serves over HTTP. */
export const HTTP_HINTS: NameHints = {
  hostname: "`hostname` is called `host` here",
  sessionIdGenerator: "session ids are made for you; `legacy: { sessions: false }` keeps no sessions",
  enableJsonResponse: 'answers are JSON unless there is more to send; `responseMode: "sse"` makes them streams',
  enableDnsRebindingProtection: "`Host` and `Origin` are always checked; set `allowedHosts` and `allowedOrigins`",
};

/** For {@link prompt}. */
export const PROMPT_HINTS = {
  /** @deprecated Called `get`. */
  handler: "`handler` is called `get` here",
  /** @deprecated Called `get`. */
  callback: "`callback` is called `get` here",
  /** @deprecated Called `get`. */
  load: "`load` is called `get` here",
  /** @deprecated Called `get`. */
  run: "`run` is called `get` here",
  /** @deprecated Called `arguments`. */
  argsSchema: "`argsSchema` is called `arguments` here, and takes a whole schema, as in z.object({ … })",
  /** @deprecated The key in `prompts` is the name. */
  name: "the name of a prompt is its key in `prompts`; for people, set `title`",
} as const;

/** For {@link resource}. */
export const RESOURCE_HINTS = {
  /** @deprecated Called `read`. */
  handler: "`handler` is called `read` here",
  /** @deprecated Called `read`. */
  callback: "`callback` is called `read` here",
  /** @deprecated Called `read`. */
  load: "`load` is called `read` here",
  /** @deprecated Called `template`. */
  uriTemplate: "`uriTemplate` is called `template` here",
  /** @deprecated The key in `resources` is the name. */
  name: "the name of a resource is its key in `resources`; for people, set `title`",
} as const;
