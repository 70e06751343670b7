import { createInterface, type Interface } from "node:readline/promises";
import { formDefaults, type FormAnswer, type InputContext } from "@toolwire/client";
import { isObject } from "@toolwire/protocol/internal";
import type { ElicitFormParams, FormField, FormValue } from "@toolwire/protocol";
import { toPrintable } from "../printing/printable.ts";

/** Shows a form to the user, field by field. An empty line takes the default, or leaves the field out. */
export async function askForm(form: ElicitFormParams, { server, signal }: InputContext): Promise<FormAnswer> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C means no to the question, not the end of the program.
  const refused = new AbortController();
  terminal.once("SIGINT", () => refused.abort());
  const limit = AbortSignal.any([signal, refused.signal]);
  try {
    const asker = server?.title ?? server?.name ?? "The server";
    console.log(toPrintable(`\n${asker} asks: ${form.message} (Ctrl-C declines.)`));
    return { action: "accept", content: await askFields(terminal, form, limit) };
  } catch (error) {
    if (!refused.signal.aborted) throw error;
    console.log();
    return { action: "decline" };
  } finally {
    terminal.close();
  }
}

async function askFields(
  terminal: Interface,
  { requestedSchema }: ElicitFormParams,
  signal: AbortSignal,
): Promise<{ readonly [field: string]: FormValue }> {
  const defaults = formDefaults(requestedSchema);
  const content: { [field: string]: FormValue } = {};
  for (const [name, field] of Object.entries(requestedSchema.properties)) {
    const isRequired = requestedSchema.required?.includes(name) === true;
    const value = await askField(terminal, name, field, defaults[name], isRequired, signal);
    if (value !== undefined) content[name] = value;
  }
  return content;
}

async function askField(
  terminal: Interface,
  name: string,
  field: FormField,
  preset: FormValue | undefined,
  isRequired: boolean,
  signal: AbortSignal,
): Promise<FormValue | undefined> {
  const choices = choicesOf(field);
  for (const [index, { title }] of choices.entries()) console.log(`    ${index + 1}  ${toPrintable(title)}`);
  const hint = preset === undefined ? (isRequired ? "" : " (optional)") : ` [${String(preset)}]`;
  const question = toPrintable(`  ${field.title ?? field.description ?? name}${hint}: `);
  // Bounded by the signal: whoever asks stops waiting at some time.
  for (;;) {
    const line = (await terminal.question(question, { signal })).trim();
    if (line === "" && preset !== undefined) return preset;
    if (line === "" && !isRequired) return undefined;
    const value = readAnswer(field, choices, line);
    if (value !== undefined) return value;
    console.log(`    That does not fit: ${expectation(field, choices)}.`);
  }
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The values to choose from, in any of the ways that a form can list them. */
function choicesOf(field: FormField): readonly Choice[] {
  const source: object = "items" in field ? field.items : field;
  const titled = "oneOf" in source ? source.oneOf : "anyOf" in source ? source.anyOf : undefined;
  if (Array.isArray(titled)) {
    return titled
      .filter(isObject)
      .map((choice) => ({ value: String(choice["const"]), title: String(choice["title"]) }));
  }
  const values = "enum" in source && Array.isArray(source.enum) ? source.enum : [];
  return values.map((value) => ({ value: String(value), title: String(value) }));
}

/** The typed text as a value of the field; `undefined` if it is none. */
function readAnswer(field: FormField, choices: readonly Choice[], line: string): FormValue | undefined {
  switch (field.type) {
    case "boolean":
      return /^(?:y|yes|true)$/i.test(line) ? true : /^(?:n|no|false)$/i.test(line) ? false : undefined;
    case "number":
    case "integer":
      return line !== "" && Number.isFinite(Number(line)) ? Number(line) : undefined;
    case "array": {
      const picked = line.split(/[\s,]+/).map((word) => pick(choices, word));
      return picked.every((value) => value !== undefined) ? picked : undefined;
    }
    default:
      return choices.length > 0 ? pick(choices, line) : line === "" ? undefined : line;
  }
}

/** A choice by its number in the list, or by its value. */
function pick(choices: readonly Choice[], word: string): string | undefined {
  return (choices[Number(word) - 1] ?? choices.find(({ value }) => value === word))?.value;
}

function expectation(field: FormField, choices: readonly Choice[]): string {
  if (choices.length > 0) return `type a number from 1 to ${choices.length}`;
  return field.type === "boolean" ? "type yes or no" : `type a ${field.type}`;
}
