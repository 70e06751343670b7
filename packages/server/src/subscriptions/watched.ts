/** The most resources that one stream or session may watch. */
export const MAX_WATCHED = 1000;

/** The resources that a stream can watch of those that a client names, which may be any number: each once, the first ones. */
export function cutWatched(uris: Iterable<string>): string[] {
  return [...new Set(uris)].slice(0, MAX_WATCHED);
}
