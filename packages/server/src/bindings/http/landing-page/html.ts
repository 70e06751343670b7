/** HTML that can have nothing in it that was not written here. */
import { escapeUnprintable } from "@toolwire/protocol/internal";

/** Markup that was made by {@link markup}. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: text is escaped, and `undefined` leaves nothing. */
type Value = string | Markup | readonly Markup[] | undefined;

/** Makes markup of a template. All values that are not markup themselves are text, in elements and in quoted attributes. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + write(values[index - 1]) + part));
}

function write(value: Value): string {
  if (value === undefined) return "";
  if (typeof value === "string") return escapeText(value);
  return value instanceof Markup ? value.text : value.map(({ text }) => text).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that are not seen, or that turn the direction of writing, are shown as their escapes. */
function escapeText(text: string): string {
  return escapeUnprintable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
