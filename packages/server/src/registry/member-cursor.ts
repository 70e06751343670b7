import { invalidParams } from "../errors.ts";

/** Where a list goes on among the members of a family. */
export interface MemberPlace {
  /** The number of the family. */
  readonly order: number;
  /** How many of its members were shown. */
  readonly shown: number;
  /** The last of them. What comes before it can grow and shrink between two pages. */
  readonly lastUri: string;
}

const LIST = "members";

/** A cursor for a place. Like all others, it holds everything that is needed to go on. */
export function writeMemberCursor({ order, shown, lastUri }: MemberPlace): string {
  return btoa(encodeURIComponent(JSON.stringify([LIST, order, shown, lastUri])));
}

/** The place in a cursor; `undefined` if it is not one for members. */
export function readMemberCursor(cursor: string): MemberPlace | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(decodeURIComponent(atob(cursor)));
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields) || fields[0] !== LIST) return undefined;
  const [, order, shown, lastUri] = fields as unknown[];
  if (isCount(order) && isCount(shown) && typeof lastUri === "string") return { order, shown, lastUri };
  throw invalidParams("Invalid cursor: use a `nextCursor` as it came, or none for the first page.");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** How many members, as they are now, come before the place. */
export function countBefore(members: readonly { readonly uri: string }[], { shown, lastUri }: MemberPlace): number {
  // Mostly nothing has changed, and a URI may be there twice.
  if (shown === 0 || members[shown - 1]?.uri === lastUri) return shown;
  const found = members.findIndex(({ uri }) => uri === lastUri);
  // If it is gone, what followed it has taken its place.
  return found === -1 ? shown - 1 : found + 1;
}
