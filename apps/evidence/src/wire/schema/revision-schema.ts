import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A part of a JSON Schema document, as far as this file looks into it. */
interface Definition {
  readonly [keyword: string]: unknown;
  readonly properties?: { readonly [name: string]: { readonly [keyword: string]: unknown } };
}

/** A JSON Schema document that defines the messages of a revision. */
export interface SchemaDocument {
  readonly $schema: string;
  readonly $defs?: { readonly [name: string]: Definition };
  readonly definitions?: { readonly [name: string]: Definition };
}

/** Checks messages against the schema of one revision. */
export class RevisionSchema {
  readonly revision: string;
  readonly #ajv: Ajv;
  readonly #root: string;
  readonly #names: ReadonlySet<string>;
  /** Definitions of requests and notifications by method. */
  readonly #methods: ReadonlyMap<string, string>;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(revision: string, document: SchemaDocument) {
    this.revision = revision;
    const options = { strict: false, allErrors: true } as const;
    this.#ajv = document.$schema.includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(correctErrata(document), "schema");
    this.#root = document.$defs === undefined ? "schema#/definitions/" : "schema#/$defs/";
    const definitions = Object.entries(document.$defs ?? document.definitions ?? {});
    this.#names = new Set(definitions.map(([name]) => name));
    this.#methods = new Map(
      definitions.flatMap(([name, { properties }]) => {
        const method = properties?.["method"]?.["const"];
        // A union such as `ClientNotification` has no method of its own, unless it has one member.
        if (typeof method !== "string" || /^(Client|Server)/.test(name) || isOfExtension(revision, method)) return [];
        return [[method, name] as const];
      }),
    );
  }

  /** Whether this revision has a request or notification of that name. */
  knows(method: string): boolean {
    return this.#methods.has(method);
  }

  /** Lists the errors of a request or a notification. */
  checkCall(method: string, message: object): string[] {
    const envelope = "id" in message ? "JSONRPCRequest" : "JSONRPCNotification";
    return [...this.#check(envelope, message), ...this.#check(this.#methods.get(method), message)];
  }

  /** Lists the errors of a result, given the method of its request, and whether the request asked for a task (2025-11-25). */
  checkResult(method: string, message: { readonly result: unknown }, isTask = false): string[] {
    const envelope = this.#names.has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse";
    return [
      ...this.#check(envelope, message),
      ...this.#check(this.#resultName(method, message.result, isTask), message.result),
    ];
  }

  /** Lists the errors of an error response. */
  checkError(message: { readonly id?: unknown; readonly error: unknown }): string[] {
    const envelope = this.#names.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";
    const { code } = message.error as { readonly code?: unknown };
    return [...this.#check(envelope, message), ...this.#check(TYPED_ERRORS.get(code), message)];
  }

  #resultName(method: string, result: unknown, isTask: boolean): string | undefined {
    const request = this.#methods.get(method);
    if (request === undefined) return undefined;
    const type = (result as { readonly resultType?: unknown }).resultType;
    if (type === "input_required" && this.#names.has("InputRequiredResult")) return "InputRequiredResult";
    // Extensions define results of their own, such as tasks, in place of the usual one.
    if (type !== undefined && type !== "complete") return undefined;
    if (isTask && type === undefined && this.#names.has("CreateTaskResult")) return "CreateTaskResult";
    const name = request.replace(/Request$/, "Result");
    return this.#names.has(name) ? name : "EmptyResult";
  }

  #check(name: string | undefined, value: unknown): string[] {
    if (name === undefined || !this.#names.has(name)) return [];
    let validate = this.#validators.get(name);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: this.#root + name });
      this.#validators.set(name, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${name}${error.instancePath} ${error.message ?? "is wrong"}`);
  }
}

/** Whether the methods of tasks belong to an extension. Libraries define those of 2025-11-25 in all revisions. */
function isOfExtension(revision: string, method: string): boolean {
  return revision > "2025-11-25" && /^(notifications\/)?tasks\b/.test(method);
}

/** Errors whose data has a form of its own, where the revision defines them. */
const TYPED_ERRORS: ReadonlyMap<unknown, string> = new Map([
  [-32020, "HeaderMismatchError"],
  [-32021, "MissingRequiredClientCapabilityError"],
  [-32022, "UnsupportedProtocolVersionError"],
  [-32042, "URLElicitationRequiredError"],
]);

/**
 * Reads the schema files of the specification, `REVISION.schema.json`, from a directory. `undefined` if there are none:
 * the files are not part of this repository.
 */
export function readSchemaFiles(directory: string): ReadonlyMap<string, RevisionSchema> | undefined {
  let files: string[];
  try {
    files = readdirSync(directory).filter((file) => file.endsWith(".schema.json"));
  } catch {
    return undefined;
  }
  if (files.length === 0) return undefined;
  return new Map(
    files.toSorted().map((file) => {
      const revision = file.slice(0, -".schema.json".length);
      const document = JSON.parse(readFileSync(join(directory, file), "utf8")) as SchemaDocument;
      return [revision, new RevisionSchema(revision, document)];
    }),
  );
}

/**
 * Where the prose of the specification says number, the published JSON Schema says integer: in the fields of forms (some
 * prints of 2025-06-18 and 2025-11-25), and in what is filled in (all prints so far).
 */
function correctErrata(document: SchemaDocument): SchemaDocument {
  const corrected = structuredClone(document);
  const definitions = corrected.$defs ?? corrected.definitions ?? {};
  for (const name of ["NumberSchema", "ElicitResult"]) widenIntegers(definitions[name]?.properties);
  return corrected;
}

/** Makes numbers of integers wherever they are asked for by `type`. */
function widenIntegers(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  const keywords = schema as { [keyword: string]: unknown };
  for (const [keyword, value] of Object.entries(keywords)) {
    if (keyword === "type" && value === "integer") keywords[keyword] = "number";
    else if (keyword === "type" && Array.isArray(value)) {
      keywords[keyword] = value.map((type) => (type === "integer" ? "number" : type) as unknown);
    } else widenIntegers(value);
  }
}
