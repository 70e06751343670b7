/**
 * The rules that a server card has to meet. A server checks what it is going to publish by them, and a client what it has read. They
 * are those of the JSON Schema of the draft, and those that it states in words.
 */
import type { Icon } from "../model/basic.ts";
import { isObject } from "../model/json.ts";
import { DocumentReader, type JsonRecord } from "./document-reader.ts";
import {
  type CardHeader,
  type CardInput,
  type CardRemote,
  type CardRepository,
  SERVER_CARD_SCHEMA,
  type ServerCard,
} from "./server-card.ts";

/** A card that meets all rules, or what is wrong with the document. */
export type CheckedCard =
  | { readonly card: ServerCard; readonly problems?: undefined }
  | { readonly problems: readonly string[] };

const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const NAMESPACE = /^[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?$/;

/** An operator in front, alternatives, a span, or a part that is left open. */
const VERSION_RANGE = /^[\^~<>=]|\|\||\s-\s|(?:^|\.)[xX*](?:\.|$)/;

/** An http URL, or one that begins with a name in braces. */
const REMOTE_URL = /^(?:https?:\/\/\S+|\{[a-zA-Z_][a-zA-Z0-9_]*\}\S*)$/;

/** The most members of one list or object of a card. */
const MAX_MEMBERS = 100;

/** Whether a text can be the name of a card: `com.example/weather`. */
export function isCardName(name: string): boolean {
  return name.length >= 3 && name.length <= 200 && NAME.test(name);
}

/** Whether a text can stand before the slash in the name of a card: `com.example`. */
export function isCardNamespace(namespace: string): boolean {
  return NAMESPACE.test(namespace);
}

/** Whether a version stands for several: cards name one. */
function isVersionRange(version: string): boolean {
  return VERSION_RANGE.test(version);
}

/** Checks a document. The card has the members of the draft only, and shares no object but `_meta` with the document. */
export function checkServerCard(document: unknown): CheckedCard {
  const reader = new DocumentReader(MAX_MEMBERS);
  const card = isObject(document) ? readCard(reader, document) : undefined;
  if (card === undefined) return { problems: ["The document is no JSON object."] };
  return reader.problems.length === 0 ? { card } : { problems: reader.problems };
}

function readCard(reader: DocumentReader, document: JsonRecord): ServerCard {
  const schema = reader.text(document, "$schema", "", { isRequired: true });
  if (schema !== undefined && schema !== SERVER_CARD_SCHEMA) {
    reader.report("$schema", `must be ${SERVER_CARD_SCHEMA}`);
  }
  const name = reader.text(document, "name", "", { isRequired: true }) ?? "";
  if (name !== "" && !isCardName(name)) {
    reader.report("name", 'must be a domain in reverse, one slash and a name, as in "com.example/weather"');
  }
  const version = reader.text(document, "version", "", { isRequired: true, max: 255 }) ?? "";
  if (isVersionRange(version)) reader.report("version", "must be one version, and is a range");
  const description = reader.text(document, "description", "", { isRequired: true, min: 1, max: 100 }) ?? "";
  return withoutAbsent({
    $schema: SERVER_CARD_SCHEMA,
    name,
    version,
    description,
    title: reader.text(document, "title", "", { min: 1, max: 100 }),
    websiteUrl: reader.url(document, "websiteUrl", "", ["https:", "http:"]),
    repository: reader.object(document, "repository", "", (given, path) => readRepository(reader, given, path)),
    icons: reader.list(document, "icons", "", (given, path) => readIcon(reader, given, path)),
    remotes: reader.list(document, "remotes", "", (given, path) => readRemote(reader, given, path)),
    _meta: reader.object(document, "_meta", "", (given) => given),
  });
}

function readIcon(reader: DocumentReader, given: JsonRecord, path: string): Icon {
  return withoutAbsent({
    src: reader.url(given, "src", path, ["https:", "http:", "data:"], { isRequired: true }) ?? "",
    mimeType: reader.text(given, "mimeType", path),
    sizes: reader.texts(given, "sizes", path),
    theme: reader.choice(given, "theme", path, ["light", "dark"]),
  });
}

function readRepository(reader: DocumentReader, given: JsonRecord, path: string): CardRepository {
  const subfolder = reader.text(given, "subfolder", path);
  if (subfolder !== undefined && !isCleanPath(subfolder)) {
    reader.report(`${path}.subfolder`, "must be a path below the root of the repository");
  }
  return withoutAbsent({
    url: reader.url(given, "url", path, ["https:", "http:"], { isRequired: true }) ?? "",
    source: reader.text(given, "source", path, { isRequired: true }) ?? "",
    subfolder,
    id: reader.text(given, "id", path),
  });
}

function isCleanPath(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function readRemote(reader: DocumentReader, given: JsonRecord, path: string): CardRemote {
  const url = reader.text(given, "url", path, { isRequired: true }) ?? "";
  if (url !== "" && !REMOTE_URL.test(url)) {
    reader.report(`${path}.url`, 'must begin with "http://", "https://" or a name in braces');
  }
  if (/^https?:\/\/[^/?#]*@/.test(url)) reader.report(`${path}.url`, "must not hold a user name or a password");
  return withoutAbsent({
    type: reader.choice(given, "type", path, ["streamable-http", "sse"], { isRequired: true }) ?? "streamable-http",
    url,
    headers: reader.list(given, "headers", path, (header, at) => readHeader(reader, header, at)),
    variables: readVariables(reader, given, path),
    supportedProtocolVersions: reader.texts(given, "supportedProtocolVersions", path),
  });
}

function readHeader(reader: DocumentReader, given: JsonRecord, path: string): CardHeader {
  const name = reader.text(given, "name", path, { isRequired: true }) ?? "";
  // A token of HTTP (RFC 9110, section 5.6.2): anything else could smuggle further header fields into a request.
  if (name !== "" && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) reader.report(`${path}.name`, "is no name of a header field");
  return withoutAbsent({ name, ...readInput(reader, given, path), variables: readVariables(reader, given, path) });
}

function readVariables(reader: DocumentReader, given: JsonRecord, path: string): CardRemote["variables"] {
  return reader.map(given, "variables", path, (input, at) => readInput(reader, input, at));
}

function readInput(reader: DocumentReader, given: JsonRecord, path: string): CardInput {
  return withoutAbsent({
    description: reader.text(given, "description", path),
    isRequired: reader.flag(given, "isRequired", path),
    isSecret: reader.flag(given, "isSecret", path),
    format: reader.choice(given, "format", path, ["string", "number", "boolean", "filepath"]),
    default: reader.text(given, "default", path),
    placeholder: reader.text(given, "placeholder", path),
    value: reader.text(given, "value", path),
    choices: reader.texts(given, "choices", path),
  });
}

function withoutAbsent<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
