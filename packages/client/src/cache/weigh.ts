/** Rough memory costs: of an object or array, of each member, and of a string beyond its characters. */
const OBJECT_BYTES = 56;
const MEMBER_BYTES = 16;
const TEXT_BYTES = 16;

/**
 * Roughly how many bytes of memory a value takes that came as JSON: small objects take several times their text. Stops to
 * count above the limit. The value may be nested deeper than any stack.
 */
export function weigh(value: unknown, limit: number): number {
  let weight = 0;
  const open: object[] = [];
  const add = (member: unknown): void => {
    weight += MEMBER_BYTES;
    if (typeof member === "string") weight += TEXT_BYTES + member.length;
    else if (typeof member === "object" && member !== null) open.push(member);
  };
  add(value);
  for (let next = open.pop(); next !== undefined && weight <= limit; next = open.pop()) {
    weight += OBJECT_BYTES;
    if (Array.isArray(next)) for (const member of next) add(member);
    else {
      for (const [key, member] of Object.entries(next)) {
        weight += key.length;
        add(member);
      }
    }
  }
  return weight;
}
