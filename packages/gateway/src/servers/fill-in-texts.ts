import { hiddenLiteral } from "../config/hidden-values.ts";
import { PlacedError } from "../config/placed-error.ts";
import type { ConfigPath } from "../config/problem.ts";
import { fillIn, type FilledText, type ReferenceSources } from "../config/references.ts";
import { isSecretName } from "../secrets/secret-fields.ts";
import type { Redactor } from "../secrets/redactor.ts";

/** Fills in the references of texts. Their values are secrets from then on. */
export class TextFiller {
  readonly #sources: ReferenceSources;
  readonly #redactor: Pick<Redactor, "add">;

  constructor(sources: ReferenceSources, redactor: Pick<Redactor, "add">) {
    this.#sources = sources;
    this.#redactor = redactor;
  }

  /** @throws PlacedError for a reference that has no value. */
  fill(text: string, place: ConfigPath): FilledText {
    const filled = fillIn(text, this.#sources);
    if (!("text" in filled)) throw new PlacedError(place, filled.problem);
    for (const hidden of filled.hidden) this.#redactor.add(hidden);
    return filled;
  }

  /** The same for header fields. One that is a credential by its name is a secret as a whole. */
  fillFields(
    given: { readonly [name: string]: string } = {},
    place: ConfigPath,
  ): { readonly texts: { readonly [name: string]: string }; readonly hidden: readonly string[] } {
    const texts: { [name: string]: string } = {};
    const hidden: string[] = [];
    for (const [name, text] of Object.entries(given)) {
      const filled = this.fill(text, place);
      texts[name] = filled.text;
      hidden.push(...filled.hidden, ...(isSecretName(name) ? hiddenLiteral(filled.text) : []));
    }
    for (const value of hidden) this.#redactor.add(value);
    return { texts, hidden };
  }
}
