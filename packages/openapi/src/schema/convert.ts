import type { JsonSchema } from "@toolwire/server";
import { isMembers, itemsOf, type JsonMembers, memberOf } from "../document/json-value.ts";
import type { OpenApiVersion } from "../document/model.ts";
import type { Located, References } from "../document/references.ts";
import { describeSchema, isNullable } from "./annotations.ts";
import { KeywordConverter } from "./convert-keywords.ts";
import { DefinitionNames } from "./definitions.ts";
import { cleanLine } from "./describe.ts";
import { deeper, type Direction, type Fragment, type Place, type Work } from "./fragment.ts";
import { mend } from "./mend.ts";
import { mergeSchemas } from "./merge.ts";
import { collectParts, findOnlyPart, type Part } from "./parts.ts";
import type { Texts } from "./texts.ts";
import { allowNull, type Draft, splitTypes } from "./types.ts";

/** Schemas within schemas, references not counted. The validator allows 100 levels of JSON, and a schema takes up to four. */
const MAX_NESTING = 20;

/** A part after its conversion. */
interface ConvertedPart extends Work {
  readonly draft: Draft;
  readonly hidden: ReadonlySet<string>;
}

/**
 * Converts schemas of a document to JSON Schema 2020-12. References become references to definitions, which are converted
 * once and shared by all tools. Everything that the validator would refuse is left out and counted.
 */
export class SchemaConverter {
  readonly direction: Direction;
  readonly texts: Texts;
  readonly #version: OpenApiVersion;
  readonly #references: References;
  readonly #names: DefinitionNames;
  readonly #definitions = new Map<string, { readonly place: Located & { pointer: string }; fragment?: Fragment }>();
  readonly #unsupported: Map<string, number>;
  readonly #roots = new WeakMap<object, Fragment>();
  readonly #parts = new WeakMap<object, ConvertedPart>();
  readonly #keywords: KeywordConverter;

  constructor(
    version: OpenApiVersion,
    references: References,
    direction: Direction,
    /** Counts the keywords that are left out. */
    unsupported: Map<string, number>,
    texts: Texts,
  ) {
    this.texts = texts;
    this.direction = direction;
    this.#version = version;
    this.#references = references;
    this.#names = new DefinitionNames(references.main);
    this.#unsupported = unsupported;
    this.#keywords = new KeywordConverter({
      direction,
      references,
      texts: this.texts,
      convert: (value, place, work) => this.#convert(value, place, work),
      lose: (keyword) => this.#lose(keyword, undefined),
    });
  }

  /** Converts a schema. A reference stays a reference. */
  convert({ value, document }: Located, pointer: string): Fragment {
    return this.#begin((work) => this.#convert(value, { document, pointer, nesting: 0 }, work));
  }

  /** Converts a schema so that its root is no reference and no `allOf`, if that can be done. */
  convertRoot(located: Located, pointer: string): Fragment {
    const known = isMembers(located.value) ? this.#roots.get(located.value) : undefined;
    if (known !== undefined) return known;
    const target = this.#references.follow(located);
    const fragment =
      target.problem === undefined
        ? this.#begin((work) => {
            const place = { document: target.document, pointer: target.pointer || pointer, nesting: 0 };
            return this.#convertWhole(target.value, place, work);
          })
        : this.convert(located, pointer);
    if (isMembers(located.value)) this.#roots.set(located.value, fragment);
    return fragment;
  }

  /** A definition by its name. */
  definition(name: string): Fragment {
    const definition = this.#definitions.get(name)!;
    if (definition.fragment === undefined) {
      const { value, document, pointer } = definition.place;
      const fragment = this.#begin((work) => this.#convertWhole(value, { document, pointer, nesting: 0 }, work));
      definition.fragment = fragment;
    }
    return definition.fragment;
  }

  #begin(convert: (work: Work) => JsonSchema): Fragment {
    const work: Work = { references: new Set(), notes: new Set() };
    return { schema: convert(work), ...work };
  }

  /** Converts a schema at any place. */
  #convert(value: unknown, place: Place, work: Work): JsonSchema {
    if (typeof value === "boolean") return value;
    if (!isMembers(value)) return this.#lose("schema", {});
    if (place.nesting > MAX_NESTING) {
      work.notes.add("A schema is nested too deeply; its inner parts accept anything.");
      return {};
    }
    if (typeof memberOf(value, "$ref") === "string") return this.#convertReference(value, place, work);
    const parts = itemsOf(memberOf(value, "allOf"));
    if (parts.length > 0 && place.nesting > 0) {
      const only = findOnlyPart(value, parts);
      if (only !== undefined) return this.#annotate(this.#convert(only, deeper(place, "allOf/0"), work), value);
      // Parts that are references would be copied into this place, and recursive ones without end. So this becomes a
      // definition, in which they are copied once.
      if (parts.some((part) => typeof memberOf(part, "$ref") === "string")) {
        return this.#refer({ value, document: place.document, pointer: place.pointer }, work);
      }
    }
    return this.#convertWhole(value, place, work);
  }

  #convertReference(value: JsonMembers, place: Place, work: Work): JsonSchema {
    const target = this.#references.follow({ value, document: place.document });
    if (target.problem !== undefined) {
      work.notes.add(`A schema accepts anything: ${target.problem}.`);
      return {};
    }
    const reference = this.#refer(target, work);
    const { $ref: _, ...siblings } = value;
    if (this.#version !== "3.1") return describeSchema({ ...reference }, siblings, this.texts);
    // Since 3.1, keywords next to a reference count.
    const further = this.#convertWhole(siblings, place, work);
    return typeof further === "boolean" ? reference : { ...further, ...reference };
  }

  #refer(target: Located & { readonly pointer: string }, work: Work): Draft {
    const name = this.#names.nameOf(target.document, target.pointer);
    if (!this.#definitions.has(name)) this.#definitions.set(name, { place: target });
    work.references.add(name);
    return { $ref: `#/$defs/${name}` };
  }

  #annotate(schema: JsonSchema, value: JsonMembers): JsonSchema {
    if (typeof schema === "boolean") return schema;
    const described = describeSchema({ ...schema }, value, this.texts);
    return isNullable(value, this.#version) ? allowNull(described) : described;
  }

  /** Converts a schema with its `allOf` merged into it. */
  #convertWhole(value: unknown, place: Place, work: Work): JsonSchema {
    if (typeof value === "boolean") return value;
    if (!isMembers(value)) return this.#lose("schema", {});
    const parts = collectParts(value, place, this.#references, work);
    const hidden = new Set<string>();
    const drafts = parts.map((part) => this.#convertPart(part, work, hidden));
    let draft = drafts.length === 1 ? drafts[0]! : mergeSchemas(drafts);
    const { required } = draft;
    if (Array.isArray(required)) {
      const { required: _, ...rest } = draft;
      const names = (required as string[]).filter((name) => !hidden.has(name));
      draft = names.length === 0 || this.direction === "output" ? rest : { ...rest, required: names };
    }
    draft = describeSchema(splitTypes(mend(draft)), value, this.texts);
    return isNullable(value, this.#version) ? allowNull(draft) : draft;
  }

  /** Converts a part of an `allOf`. A part that several schemas refer to is converted once. */
  #convertPart({ value, place, isShared }: Part, work: Work, hidden: Set<string>): Draft {
    if (!isShared) return this.#keywords.convert(value, place, work, hidden);
    let known = this.#parts.get(value);
    if (known === undefined) {
      const own = { references: new Set<string>(), notes: new Set<string>(), hidden: new Set<string>() };
      known = { draft: this.#keywords.convert(value, place, own, own.hidden), ...own };
      this.#parts.set(value, known);
    }
    known.references.forEach((name) => work.references.add(name));
    known.notes.forEach((note) => work.notes.add(note));
    known.hidden.forEach((name) => hidden.add(name));
    return known.draft;
  }

  #lose<T>(keyword: string, instead: T): T {
    const shown = cleanLine(keyword, 40);
    // Documents could make up keywords without end.
    if (this.#unsupported.size < 100 || this.#unsupported.has(shown)) {
      this.#unsupported.set(shown, (this.#unsupported.get(shown) ?? 0) + 1);
    }
    return instead;
  }
}
