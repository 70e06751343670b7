/** So many characters of a value are shown, and so many of its members are looked at. */
const MOST = 100;

/** Shows the beginning of a value as JSON, for a message. A value may be nested deeper than any stack. */
export function quote(value: unknown): string {
  let left = MOST;
  const text = JSON.stringify(value, (_key, member: unknown) => (left-- > 0 ? member : undefined)) ?? String(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
