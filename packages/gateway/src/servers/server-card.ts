import type { ServerCardOptions } from "@toolwire/server/server-card";
import type { ServerConfig } from "../config/config.ts";
import { identifiesCallers, takesKeys } from "../config/identifies-callers.ts";
import type { Redactor } from "../secrets/redactor.ts";

/** The card of a server: what it takes to publish one, why there is none although one was asked for, or neither. */
export interface ServerCardPlan {
  readonly options?: ServerCardOptions | undefined;
  readonly problem?: string | undefined;
}

/** The parts of a gateway on which cards depend. */
export interface CardHost {
  /** The domain of the publisher in reverse; `undefined` if the gateway publishes no cards. */
  readonly namespace: string | undefined;
  /** The origin by which clients reach the gateway. */
  readonly publicUrl: string | undefined;
  /** Whether only programs of this machine reach the gateway by itself. */
  readonly isLoopback: boolean;
  readonly redactor: Pick<Redactor, "redact">;
}

/** The most characters of a description in a card. */
const MAX_DESCRIPTION = 100;

const KEY_HEADER = {
  name: "Authorization",
  description: "An API key of this server",
  isSecret: true,
  value: "Bearer {key}",
  variables: { key: { description: "The API key, which begins with twk_", isRequired: true, isSecret: true } },
};

/** Whether a server has a card. One that lets everybody in does, others only if they say so: a card tells that they exist. */
function hasCard(config: ServerConfig, isLoopback: boolean): boolean {
  const { card } = config;
  return card === undefined ? !identifiesCallers(config, isLoopback) : card !== false;
}

/**
 * Plans the card of a server. Only its slug, the texts that the operator wrote for clients, the public URL of the gateway and the form of
 * its keys go into it: nothing of tools, credentials or upstreams.
 */
export function planCard(slug: string, config: ServerConfig, host: CardHost): ServerCardPlan {
  const { namespace, publicUrl, isLoopback, redactor } = host;
  if (namespace === undefined || publicUrl === undefined || !hasCard(config, isLoopback)) return {};
  const { card, title, description: own } = config;
  const chosen = typeof card === "object" ? card.description : undefined;
  const description = cut(chosen ?? own ?? title ?? `The MCP server ${slug}.`);
  const texts = [title, description].join("\n");
  if (redactor.redact(texts) !== texts) {
    return { problem: "It has no card: its title or its description holds a secret, and a card is public." };
  }
  const headers = takesKeys(config, isLoopback) ? [{ ...KEY_HEADER, isRequired: !takesTokens(config) }] : undefined;
  return { options: { url: `${publicUrl}/mcp/${slug}`, namespace, description, headers } };
}

function takesTokens({ auth }: ServerConfig): boolean {
  return typeof auth === "object" && "oauth" in auth;
}

/** The beginning of a text, up to the end of a word. */
function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= MAX_DESCRIPTION) return line;
  const beginning = characters.slice(0, MAX_DESCRIPTION - 1).join("");
  return `${beginning.replace(/\s+\S*$/, "")}…`;
}
