import { UsageError } from "@toolwire/protocol";
import { applyEdits, type FormattingOptions, modify, parse, type ParseError } from "jsonc-parser";
import { referencesOf, toFileEntry } from "./file-entry.ts";
import type { HostEntry } from "./host-entry.ts";
import type { Host } from "./hosts.ts";

/** An application's file with further servers. */
export interface WrittenHostFile {
  readonly text: string;
  /** The names of servers that were in the file before, with other content. */
  readonly replaced: readonly string[];
}

/**
 * Writes servers to an application's file. Everything else in the file stays as it is, comments included. Entries of the
 * same names are replaced.
 *
 * @param text the file as it is; default: a new one
 * @throws UsageError if the file is not valid JSON; nothing may be written then
 */
export function writeHostFile(host: Host, entries: readonly HostEntry[], text = ""): WrittenHostFile {
  const before = text.trim() === "" ? "{}\n" : text;
  const content = readObject(before);
  const replaced: string[] = [];
  let written = before;
  const set = (path: (string | number)[], value: unknown): void => {
    const options = { formattingOptions: formattingOf(before), isArrayInsertion: path.at(-1) === -1 };
    written = applyEdits(written, modify(written, path, value, options));
  };
  for (const entry of entries) {
    const value = toFileEntry(host, entry);
    const old = memberOf(memberOf(content, host.member), entry.name);
    if (old !== undefined && JSON.stringify(old) !== JSON.stringify(value)) replaced.push(entry.name);
    set([host.member, entry.name], value);
  }
  if (host.variables === "input") {
    const known = inputIds(content);
    for (const id of new Set(entries.flatMap(referencesOf))) {
      if (known === undefined) throw notWritable("`inputs` is no list");
      if (known.has(id)) continue;
      const input = { type: "promptString", id, description: id, password: true };
      if (memberOf(readObject(written), "inputs") === undefined) set(["inputs"], [input]);
      else set(["inputs", -1], input);
    }
  }
  return { text: written, replaced };
}

function readObject(text: string): unknown {
  const errors: ParseError[] = [];
  const content = parse(text, errors, { allowTrailingComma: true }) as unknown;
  if (errors.length > 0) throw notWritable("it is not valid JSON");
  if (typeof content !== "object" || content === null || Array.isArray(content)) throw notWritable("it is no object");
  return content;
}

/** `undefined` if `inputs` is something else than a list. */
function inputIds(content: unknown): ReadonlySet<unknown> | undefined {
  const inputs = memberOf(content, "inputs") ?? [];
  return Array.isArray(inputs) ? new Set(inputs.map((input: unknown) => memberOf(input, "id"))) : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [member: string]: unknown })[name];
}

function notWritable(reason: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", `The file was not changed: ${reason}.`);
}

/** Writes as the file is written: its indentation and line breaks. */
function formattingOf(text: string): FormattingOptions {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : Math.min(indent.length, 8),
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
