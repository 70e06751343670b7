import {
  type CardHeader,
  type CardInput,
  type Implementation,
  type Revision,
  type ServerCard,
  UsageError,
} from "@toolwire/protocol";
import { checkServerCard, isCardName, isCardNamespace, SERVER_CARD_SCHEMA } from "@toolwire/protocol/internal";
import type { ServerCardSettings } from "./options.ts";

/**
 * Writes the card of a server. Everything in it is what the server says of itself at run time, too ("Consistency with Runtime
 * Behavior"), or was written for it: nothing is taken from requests, credentials or tools.
 *
 * @throws UsageError if the card would break a rule of the draft, saying which
 */
export function writeServerCard(
  info: Implementation,
  settings: ServerCardSettings,
  revisions: readonly Revision[],
): ServerCard {
  const { url, headers, repository, meta } = settings;
  for (const header of headers ?? []) expectNoSecret(header);
  const checked = checkServerCard({
    $schema: SERVER_CARD_SCHEMA,
    name: nameOf(info, settings),
    title: info.title,
    version: info.version,
    description: describe(info, settings),
    websiteUrl: info.websiteUrl,
    repository,
    icons: info.icons,
    remotes: [{ type: "streamable-http", url, headers, supportedProtocolVersions: revisions }],
    _meta: meta,
  });
  if (checked.problems === undefined) return checked.card;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `The server card cannot be published: ${checked.problems.join(" ")} ` +
      "Its members come from createServer and from the option `serverCard`.",
  );
}

/** The server's own name, below the domain of its publisher: a client that has connected sees that it is the same server. */
function nameOf({ name }: Implementation, { namespace }: ServerCardSettings): string {
  if (isCardName(name)) {
    if (namespace === undefined || name.startsWith(`${namespace}/`)) return name;
    const message = `\`serverCard.namespace\` is ${JSON.stringify(namespace)}, but the server calls itself ${JSON.stringify(name)}: leave the option out.`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
  if (namespace === undefined || !isCardNamespace(namespace)) {
    const message = `The card of a server called ${JSON.stringify(name)} needs \`serverCard.namespace\`, a domain in reverse such as "com.example".`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
  const full = `${namespace}/${name}`;
  if (isCardName(full)) return full;
  const message = `In a server card, the name of a server has letters, digits, ".", "_" and "-" only; ${JSON.stringify(name)} has others.`;
  throw new UsageError("INVALID_ARGUMENT", message);
}

function describe({ description: own }: Implementation, { description = own }: ServerCardSettings): string {
  if (typeof description === "string" && description !== "" && [...description].length <= 100) return description;
  const given = description === own ? "The server's own is missing or longer." : "The one given is empty or longer.";
  const message = `A server card needs a description of at most 100 characters: set \`serverCard.description\`. ${given}`;
  throw new UsageError("INVALID_ARGUMENT", message);
}

/** Names of header fields whose values are secrets, whatever is said about them. */
const MEANS_SECRET = /authorization|cookie|dpop|key|password|secret|token/i;

/** Cards are public: they MUST NOT hold credentials ("Information Disclosure"). Names in braces are for what a client fills in. */
function expectNoSecret(header: CardHeader): void {
  const isSecret = header.isSecret === true || MEANS_SECRET.test(header.name);
  if (isSecret) expectOpen(header, header.name);
  for (const [name, input] of Object.entries(header.variables ?? {})) {
    if (isSecret || input.isSecret === true) expectOpen(input, `${header.name}, {${name}}`);
  }
}

function expectOpen({ value, default: preset, choices }: CardInput, where: string): void {
  const isFixed = value !== undefined && !/\{[^{}]+\}/.test(value);
  if (!isFixed && preset === undefined && choices === undefined) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `\`serverCard.headers\` holds the value of a secret (${where}), and a card is public: describe it only, as in ` +
      '{ name: "Authorization", isSecret: true, value: "Bearer {key}", variables: { key: { isSecret: true } } }.',
  );
}
