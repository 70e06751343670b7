import { isObject, expectBoolean, expectKnownNames, expectOption, type OptionNames } from "@toolwire/protocol/internal";
import {
  type Prompt,
  type PromptArgument,
  type SchemaDescription,
  type StandardSchema,
  UsageError,
} from "@toolwire/protocol";
import { describeIssues, isStandardSchema } from "@toolwire/json-schema";
import { refuseObjectOfSchemas } from "@toolwire/json-schema/internal";
import { defined, expectDefinitionNames, expectListingTexts } from "../define/check-options.ts";
import { inDefinition } from "../define/names.ts";
import { PROMPT_HINTS } from "../define/other-names.ts";
import type { PromptArgumentOptions, PromptDefinition, PromptReturn } from "../define/prompt.ts";
import type { Complete } from "../define/resource.ts";
import { scopesOf } from "../define/scopes.ts";
import { invalidParams } from "../errors.ts";
import type { Context } from "../define/context.ts";
import type { ListSettings } from "./pages.ts";
import { Registry, type Entry } from "./registry.ts";
import type { Schemas } from "./schemas.ts";

const PROMPT_OPTIONS: OptionNames<PromptDefinition, typeof PROMPT_HINTS & { "made by prompt()": never }> = {
  title: true,
  description: true,
  arguments: true,
  complete: true,
  icons: true,
  scopes: true,
  _meta: true,
  get: true,
};

const ARGUMENT_OPTIONS: OptionNames<PromptArgumentOptions, { "~standard": never }> = {
  title: true,
  description: true,
  required: true,
  complete: true,
};

/** Makes a prompt ready to be filled in. Throws a `UsageError` if the definition is invalid. */
function compilePrompt(
  options: PromptDefinition,
  name: string,
  order: number,
  describe: (schema: StandardSchema) => SchemaDescription,
): CompiledPrompt {
  const { title, description, icons, _meta } = options;
  expectDefinitionNames("prompt", name, options, PROMPT_OPTIONS, PROMPT_HINTS);
  if (typeof options.get !== "function") {
    throw new UsageError("INVALID_DEFINITION", "`get` is missing: give the function that returns the messages.");
  }
  const args = readArguments(name, options, describe);
  return {
    name,
    order,
    listing: defined<Prompt>({
      name,
      title,
      description,
      arguments: args.listing.length === 0 ? undefined : args.listing,
      icons,
      _meta,
    }),
    scopes: scopesOf(options),
    complete: args.complete,
    check: args.check,
    get: (values, ctx) => options.get(values as never, ctx),
  };
}

interface ReadArguments {
  readonly listing: readonly PromptArgument[];
  readonly check: (args: PromptStrings) => unknown;
  readonly complete: ReadonlyMap<string, Complete>;
}

function readArguments(
  name: string,
  { arguments: args, complete }: PromptDefinition,
  describe: (schema: StandardSchema) => SchemaDescription,
): ReadArguments {
  const completers = new Map(Object.entries(defined(complete ?? {})));
  const read = isStandardSchema(args)
    ? readSchema(name, describe(args satisfies StandardSchema))
    : readNamed(name, args ?? {}, completers);
  const known = read.listing.map((argument) => argument.name);
  for (const argument of completers.keys()) {
    if (known.includes(argument)) continue;
    throw new UsageError(
      "INVALID_DEFINITION",
      `\`complete.${argument}\` completes an argument that the prompt does not have.`,
    );
  }
  return { ...read, complete: completers };
}

function readNamed(
  prompt: string,
  args: { readonly [name: string]: PromptArgumentOptions },
  completers: Map<string, Complete>,
): Omit<ReadArguments, "complete"> {
  refuseObjectOfSchemas(args);
  const listing = Object.entries(defined(args)).map(([name, argument]) =>
    inDefinition("argument", name, () => {
      const { title, description, required, complete } = expectOption(
        "its definition",
        argument,
        isObject(argument),
        "an object",
      );
      expectKnownNames("it", argument, ARGUMENT_OPTIONS);
      expectListingTexts(argument);
      if (complete !== undefined) completers.set(name, complete);
      return defined<PromptArgument>({
        name,
        title,
        description,
        required: required === undefined ? undefined : expectBoolean("required", required, false),
      });
    }),
  );
  return {
    listing,
    check(values) {
      const given = defined(values);
      const missing = listing.filter(({ name, required }) => required === true && !Object.hasOwn(given, name));
      if (missing.length > 0) {
        const names = missing.map(({ name }) => `\`${name}\``).join(", ");
        throw invalidParams(`Invalid arguments for prompt "${prompt}": missing required ${names}.`);
      }
      // Unknown arguments are dropped, so that handlers get declared ones only.
      return Object.fromEntries(
        listing.filter(({ name }) => Object.hasOwn(given, name)).map(({ name }) => [name, given[name]]),
      );
    },
  };
}

function readSchema(prompt: string, { jsonSchema, validate }: SchemaDescription): Omit<ReadArguments, "complete"> {
  const schema = isObject(jsonSchema) ? jsonSchema : {};
  if (schema["type"] !== "object" || !isObject(schema["properties"])) {
    throw new UsageError(
      "INVALID_SCHEMA",
      "The arguments of a prompt are an object: use a schema such as z.object({ … }).",
    );
  }
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const listing = Object.entries(schema["properties"]).map(([name, property]): PromptArgument => {
    const { title, description } = isObject(property) ? property : {};
    return defined<PromptArgument>({
      name,
      title: typeof title === "string" ? title : undefined,
      description: typeof description === "string" ? description : undefined,
      required: required.includes(name) || undefined,
    });
  });
  return {
    listing,
    async check(given) {
      const checked = await validate(given);
      if (checked.ok) return checked.value;
      throw invalidParams(`Invalid arguments for prompt "${prompt}":\n${describeIssues(checked.issues)}`);
    },
  };
}

/** Arguments of a prompt as they come: text by name. */
type PromptStrings = { readonly [name: string]: string };

/** A prompt that is ready to be filled in. */
export interface CompiledPrompt extends Entry {
  /** As clients see it. */
  readonly listing: Prompt;
  readonly scopes: readonly string[] | undefined;
  readonly complete: ReadonlyMap<string, Complete>;
  /** Checks the arguments; throws an `RpcError` that lists what is wrong with them. */
  readonly check: (args: PromptStrings) => unknown;
  get(args: unknown, ctx: Context): PromptReturn | Promise<PromptReturn>;
}

/** The prompts of a server. */
export class PromptRegistry extends Registry<PromptDefinition, CompiledPrompt> {
  readonly #schemas: Schemas;

  constructor(schemas: Schemas, settings: ListSettings, onChange: () => void) {
    super("prompt", settings, onChange);
    this.#schemas = schemas;
  }

  protected override compile(name: string, definition: PromptDefinition, order: number): CompiledPrompt {
    return compilePrompt(definition, name, order, (schema) => this.#schemas.describe(schema, "input"));
  }
}
