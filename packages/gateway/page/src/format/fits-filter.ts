import type { CandidateView } from "../../../src/admin/views.ts";

/** Whether an operation has every word of a filter in its method, path, name, description or tags. */
export function fitsFilter(candidate: CandidateView, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  const text = [candidate.id, candidate.tool ?? "", candidate.description ?? "", ...candidate.tags]
    .join(" ")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
