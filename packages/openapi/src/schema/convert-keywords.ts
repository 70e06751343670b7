/** The keywords of one schema object, one by one. */
import type { JsonSchema } from "@toolwire/server";
import { isMembers, itemsOf, type JsonMembers, memberOf, membersOf, textsOf } from "../document/json-value.ts";
import type { Located, References } from "../document/references.ts";
import { deeper, type Direction, type Place, type Work } from "./fragment.ts";
import { isExpectedLoss, isExtension, isLinearPattern, SILENT_KEYWORDS, VALUE_KEYWORDS } from "./keywords.ts";
import { convertBounds } from "./mend.ts";
import type { Texts } from "./texts.ts";
import { type Draft, readTypes } from "./types.ts";

/** The most properties of one object. */
const MAX_PROPERTIES = 1_000;

/** Keywords that have an effect although they are not among the keywords of the result. */
const HANDLED: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "additionalProperties",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "unevaluatedProperties",
]);

/** The conversion that keywords are a part of. */
export interface KeywordHost {
  readonly direction: Direction;
  readonly references: References;
  readonly texts: Texts;
  /** Converts a schema within the value of a keyword. */
  convert(value: unknown, place: Place, work: Work): JsonSchema;
  /** Counts a keyword that is left out. */
  lose(keyword: string): void;
}

/** Converts keywords. */
export class KeywordConverter {
  readonly #host: KeywordHost;

  constructor(host: KeywordHost) {
    this.#host = host;
  }

  /** Converts the keywords of one schema object. `hidden` gets the names of properties that are left out or have a default. */
  convert(value: JsonMembers, place: Place, work: Work, hidden: Set<string>): Draft {
    const draft: Draft = {};
    for (const [keyword, raw] of Object.entries(value)) {
      if (raw === undefined || SILENT_KEYWORDS.has(keyword) || isExtension(keyword)) continue;
      const converted = this.#convertKeyword(keyword, raw, deeper(place, keyword), work, hidden);
      if (converted !== undefined) draft[keyword] = converted;
      else if (!isExpectedLoss(keyword, raw) && !HANDLED.has(keyword)) this.#host.lose(keyword);
    }
    convertBounds(value, draft);
    // The forms of a oneOf overlap in documents, and refusing what the API accepts is worse than letting it decide.
    const { oneOf, ...rest } = draft;
    if (oneOf === undefined) return draft;
    return rest["anyOf"] === undefined ? { ...rest, anyOf: oneOf } : { ...rest, allOf: [{ anyOf: oneOf }] };
  }

  #convertKeyword(keyword: string, raw: unknown, place: Place, work: Work, hidden: Set<string>): unknown {
    const read = VALUE_KEYWORDS.get(keyword);
    if (read !== undefined) return read(raw);
    switch (keyword) {
      case "type": {
        const types = readTypes(raw);
        return types?.length === 1 ? types[0] : types;
      }
      case "properties":
        return this.#convertProperties(raw, place, work, hidden);
      case "patternProperties":
        return this.#convertMap(raw, place, work, isLinearPattern);
      case "dependentSchemas":
        return this.#convertMap(raw, place, work);
      case "dependentRequired":
        return isMembers(raw)
          ? Object.fromEntries(membersOf(raw).map(([name, names]) => [name, [...new Set(textsOf(names))]]))
          : undefined;
      case "additionalProperties":
      case "unevaluatedProperties": {
        if (raw === false && this.#host.direction === "output") return undefined;
        const schema = typeof raw === "boolean" || isMembers(raw) ? this.#host.convert(raw, place, work) : true;
        return schema === true || (typeof schema === "object" && Object.keys(schema).length === 0) ? undefined : schema;
      }
      case "items":
        // A tuple of older dialects.
        return Array.isArray(raw) ? {} : this.#host.convert(raw, place, work);
      case "contains":
      case "propertyNames":
      case "unevaluatedItems":
      case "not":
      case "if":
      case "then":
      case "else":
        return isMembers(raw) || typeof raw === "boolean" ? this.#host.convert(raw, place, work) : undefined;
      case "prefixItems":
      case "anyOf":
      case "oneOf":
        return itemsOf(raw).length === 0
          ? undefined
          : itemsOf(raw).map((each, index) => this.#host.convert(each, deeper(place, String(index)), work));
      default:
        return undefined;
    }
  }

  #convertProperties(raw: unknown, place: Place, work: Work, hidden: Set<string>): Draft | undefined {
    const members = membersOf(raw);
    if (members.length > MAX_PROPERTIES) {
      work.notes.add(`An object has more than ${MAX_PROPERTIES} properties; the others are left out.`);
    }
    const converted: [string, JsonSchema][] = [];
    for (const [name, value] of members.slice(0, MAX_PROPERTIES)) {
      const state = this.#stateOf({ value, document: place.document });
      if (state.isHidden || state.hasDefault) hidden.add(name);
      if (state.isHidden) continue;
      const schema = this.#host.convert(value, deeper(place, name), work);
      converted.push([name, this.#host.texts.ofNamed(name, schema)]);
    }
    return isMembers(raw) ? Object.fromEntries(converted) : undefined;
  }

  #convertMap(raw: unknown, place: Place, work: Work, fits: (key: string) => boolean = () => true): Draft | undefined {
    if (!isMembers(raw)) return undefined;
    const members = membersOf(raw).filter(([key]) => fits(key));
    return Object.fromEntries(
      members.map(([key, value]) => [key, this.#host.convert(value, deeper(place, key), work)]),
    );
  }

  /** A property may say these things itself, or be a reference to, or one part of an `allOf` of, a schema that does. */
  #stateOf(located: Located): { readonly isHidden: boolean; readonly hasDefault: boolean } {
    const hides = this.#host.direction === "input" ? "readOnly" : "writeOnly";
    const values = [located, ...itemsOf(memberOf(located.value, "allOf")).map((value) => ({ ...located, value }))];
    const schemas = values.flatMap((each) => {
      const target = this.#host.references.follow(each);
      return target.problem === undefined && target.value !== each.value ? [each.value, target.value] : [each.value];
    });
    return {
      isHidden: schemas.some((schema) => memberOf(schema, hides) === true),
      hasDefault: schemas.some((schema) => memberOf(schema, "default") !== undefined),
    };
  }
}
