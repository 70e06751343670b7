/** A name and a text, as a row of a form: a header, or a variable. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** The rows of named texts. */
export function pairsOf(texts: { readonly [name: string]: string } | undefined): readonly Pair[] {
  return Object.entries(texts ?? {}).map(([name, value]) => ({ name, value }));
}

/** The named texts of rows; `undefined` if there are none. Rows without a name are left out. */
export function textsOf(pairs: readonly Pair[]): { readonly [name: string]: string } | undefined {
  const named = pairs.map(({ name, value }) => [name.trim(), value] as const).filter(([name]) => name !== "");
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
