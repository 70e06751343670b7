import { isObject } from "../model/json.ts";
import { DocumentReader, type JsonRecord } from "./document-reader.ts";
import { AI_CATALOG_VERSION, type CatalogEntry, SERVER_CARD_TYPE } from "./server-card.ts";

/** The server cards that a catalog lists, or what is wrong with the document. */
export type CheckedCatalog =
  | {
      readonly entries: readonly CatalogEntry[];
      /** What is wrong with single entries, which were left out. */
      readonly ignored: readonly string[];
      readonly problems?: undefined;
    }
  | { readonly problems: readonly string[] };

/** The most entries of one catalog. */
const MAX_ENTRIES = 10_000;

/**
 * Checks a catalog, and picks the entries that are server cards. Entries of other kinds are not looked into, and a bad entry does not
 * keep the good ones from being found. Cards inside of entries are not checked.
 */
export function checkCatalog(document: unknown): CheckedCatalog {
  if (!isObject(document)) return { problems: ["The document is no JSON object."] };
  const reader = new DocumentReader(MAX_ENTRIES);
  const version = reader.text(document, "specVersion", "", { isRequired: true }) ?? "";
  if (version !== "" && majorOf(version) !== majorOf(AI_CATALOG_VERSION)) {
    reader.report("specVersion", `must be ${AI_CATALOG_VERSION}, or a later one that is compatible with it`);
  }
  const ignored = new DocumentReader(MAX_ENTRIES);
  const entries = reader.list(document, "entries", "", (entry, path) => readEntry(ignored, entry, path), {
    isRequired: true,
  });
  if (entries === undefined || reader.problems.length > 0) return { problems: reader.problems };
  return { entries: entries.filter((entry) => entry !== undefined), ignored: ignored.problems };
}

function majorOf(version: string): string | undefined {
  return /^(\d+)\.\d+$/.exec(version)?.[1];
}

/** Reads an entry. `undefined` if it is none of a server card, or a bad one. */
function readEntry(reader: DocumentReader, entry: JsonRecord, path: string): CatalogEntry | undefined {
  // Earlier drafts of the catalog call the member `mediaType`.
  if ((entry["type"] ?? entry["mediaType"]) !== SERVER_CARD_TYPE) return undefined;
  const identifier = reader.text(entry, "identifier", path, { isRequired: true, min: 1 });
  const url = reader.url(entry, "url", path, ["https:", "http:"]);
  const isInline = Object.hasOwn(entry, "data");
  if (Object.hasOwn(entry, "url") === isInline) {
    reader.report(path, "must have either `url` or `data`");
    return undefined;
  }
  if (identifier === undefined) return undefined;
  if (isInline) return { identifier, type: SERVER_CARD_TYPE, data: entry["data"] };
  return url === undefined ? undefined : { identifier, type: SERVER_CARD_TYPE, url };
}
