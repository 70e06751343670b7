import { findNearestName } from "@toolwire/json-schema/internal";

/** So many names are listed if none is near. */
const MAX_LISTED = 8;

/** ` Did you mean "get_weather"?`, or all names if there are few, or nothing. Follows a sentence about a name that is unknown. */
export function suggest(name: string, candidates: readonly string[]): string {
  const nearest = findNearestName(name, candidates);
  if (nearest !== undefined) return ` Did you mean ${JSON.stringify(nearest)}?`;
  if (candidates.length === 0 || candidates.length > MAX_LISTED) return "";
  const list = candidates.map((each) => JSON.stringify(each)).join(", ");
  return ` There ${candidates.length === 1 ? "is" : "are"} ${list}.`;
}
