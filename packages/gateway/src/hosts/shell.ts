import { replaceReferences } from "./host-entry.ts";

/** Writes an argument for a POSIX shell. Only `${env:NAME}` is filled in by the shell. */
export function quoteArgument(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  const hasReferences = replaceReferences(text, () => "") !== text;
  if (!hasReferences) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replaceAll(/\$\{(?:env|input):[A-Za-z_][\w.-]*\}|["\\$`!]/g, (found) =>
    found.length > 1 ? found : found === "!" ? `"'!'"` : `\\${found}`,
  );
  return `"${replaceReferences(escaped, (_, name) => `\${${variableName(name)}}`)}"`;
}

/** Variables of shells have letters, digits and underscores only. */
function variableName(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

/** Writes a command for a POSIX shell on several lines: a line for the program, and one for each group of arguments. */
export function writeCommand(...groups: readonly (readonly string[])[]): string {
  return groups.map((group) => group.map(quoteArgument).join(" ")).join(" \\\n  ");
}
