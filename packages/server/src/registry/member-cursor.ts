import { sealOf } from "../input/seal.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** Where a list goes on among the members of a family. */
export interface MemberPlace {
  /** The number of the family. */
  readonly order: number;
  /** How many of its members were shown. */
  readonly shown: number;
  /** The last of them. What comes before it can grow and shrink between two pages. */
  readonly lastUri: string;
}

/** What is sealed has a multiple of this length, or that would tell how long a URI is. */
const STEP = 256;

/** Questions expire, pages do not: they are sealed as if at the end of time. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * A cursor for a place. Like all others, it holds everything that is needed to go on; but sealed, because middleware may
 * hide the last URI from the caller after this.
 */
export function writeMemberCursor(call: ServedRequest, { order, shown, lastUri }: MemberPlace): Promise<string> {
  const text = encodeURIComponent(JSON.stringify([order, shown, lastUri]));
  const padded = text.padEnd(Math.ceil(text.length / STEP) * STEP);
  return sealOf(call.definition).seal(padded, contextOf(call), NEVER);
}

/** The place in a cursor; `undefined` if it is not one for members that this caller was given. */
export async function readMemberCursor(call: ServedRequest, cursor: string): Promise<MemberPlace | undefined> {
  const opened = await sealOf(call.definition).open(cursor, contextOf(call));
  if (opened === undefined) return undefined;
  const fields = JSON.parse(decodeURIComponent(opened.value as string)) as [number, number, string];
  return { order: fields[0], shown: fields[1], lastUri: fields[2] };
}

function contextOf({ definition, principal }: ServedRequest): string {
  return JSON.stringify(["cursor", definition.info.name, principal?.id]);
}

/** How many members, as they are now, come before the place. */
export function countBefore(members: readonly { readonly uri: string }[], { shown, lastUri }: MemberPlace): number {
  // Mostly nothing has changed, and a URI may be there twice.
  if (shown === 0 || members[shown - 1]?.uri === lastUri) return shown;
  const found = members.findIndex(({ uri }) => uri === lastUri);
  // If it is gone, what followed it has taken its place.
  return found === -1 ? shown - 1 : found + 1;
}
