/** Another MCP server while it is filled in, and the configuration that it becomes. */
import type { UpstreamConfig } from "../../../src/config/config.ts";
import { pairsOf, textsOf, type Pair } from "./pairs.ts";

/** How the gateway logs in, as far as the form can say. `kept` is any other way that the configuration has. */
export type UpstreamLogin = "none" | "token" | "each" | "shared" | "kept";

/** An upstream as the form has it. */
export interface UpstreamDraft {
  readonly name: string;
  readonly kind: "url" | "program";
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly login: UpstreamLogin;
  /** A new token. Empty if the one that is set stays. */
  readonly token: string;
  readonly command: string;
  /** One argument a line. */
  readonly args: string;
  readonly env: readonly Pair[];
  readonly prefix: string;
  readonly isPinned: boolean;
  /** Members that the form does not show, and keeps as they are. */
  readonly kept: Partial<UpstreamConfig>;
}

/** A form that nobody has filled in yet. */
export const EMPTY_UPSTREAM: UpstreamDraft = {
  name: "",
  kind: "url",
  url: "",
  headers: [],
  login: "none",
  token: "",
  command: "",
  args: "",
  env: [],
  prefix: "",
  isPinned: false,
  kept: {},
};

/** Fills the form from a configuration. */
export function draftOfUpstream(name: string, config: UpstreamConfig): UpstreamDraft {
  const { url, headers, auth, command, args, env, prefix, pin, ...others } = config;
  return {
    ...EMPTY_UPSTREAM,
    name,
    kind: command === undefined ? "url" : "program",
    url: url ?? "",
    headers: pairsOf(headers),
    login: loginOf(auth),
    command: command ?? "",
    args: (args ?? []).join("\n"),
    env: pairsOf(env),
    prefix: prefix ?? "",
    isPinned: pin === true,
    kept: { ...others, ...(auth === undefined ? {} : { auth }) },
  };
}

/** The configuration that a form says. A token is sealed under `secret`, and the configuration refers to it. */
export function upstreamOfDraft(draft: UpstreamDraft, secret: string): UpstreamConfig {
  const { kind, url, command, args, prefix, isPinned } = draft;
  const { auth, ...others } = draft.kept;
  const headers = textsOf(draft.headers);
  const env = textsOf(draft.env);
  const list = args.split("\n").filter((line) => line !== "");
  const login = authOf(draft, auth, secret);
  return {
    ...others,
    ...(kind === "url"
      ? {
          url: url.trim(),
          ...(headers === undefined ? {} : { headers }),
          ...(login === undefined ? {} : { auth: login }),
        }
      : {
          command: command.trim(),
          ...(list.length === 0 ? {} : { args: list }),
          ...(env === undefined ? {} : { env }),
        }),
    ...(prefix.trim() === "" ? {} : { prefix: prefix.trim() }),
    ...(isPinned ? { pin: true } : {}),
  };
}

/** The name under which the token of an upstream is sealed. */
export function secretNameOf(slug: string, upstream: string): string {
  return `${slug}-${upstream}`.slice(0, 128);
}

function loginOf(auth: UpstreamConfig["auth"]): UpstreamLogin {
  if (auth === undefined) return "none";
  if ("bearer" in auth) return "token";
  if (!("oauth" in auth)) return "kept";
  const { shared, ...others } = auth.oauth;
  if (Object.keys(others).length > 0) return "kept";
  return shared === true ? "shared" : "each";
}

function authOf(
  { login, token }: UpstreamDraft,
  kept: UpstreamConfig["auth"],
  secret: string,
): UpstreamConfig["auth"] | undefined {
  if (login === "none") return undefined;
  if (login === "each") return { oauth: {} };
  if (login === "shared") return { oauth: { shared: true } };
  const stays = login === "kept" || (token === "" && kept !== undefined && "bearer" in kept);
  return stays ? kept : { bearer: `\${secret:${secret}}` };
}
