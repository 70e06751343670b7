/** The most resources that one stream or session may watch. */
export const MAX_WATCHED = 1000;

/** The most characters that the URIs of all resources on one stream may have together. */
const MAX_CHARACTERS = 256 * 1024;

/** The most characters in the URI of a resource that can be watched: templates match none that is longer. */
const MAX_URI_LENGTH = 8192;

/**
 * The resources that a stream can watch of those that a client names, which may be any number: each once, those whose URIs
 * are not too long, and the first ones that fit.
 */
export function cutWatched(uris: Iterable<string>): string[] {
  const watched = new Set<string>();
  let characters = 0;
  for (const uri of uris) {
    if (uri.length > MAX_URI_LENGTH || watched.has(uri)) continue;
    characters += uri.length;
    if (watched.size === MAX_WATCHED || characters > MAX_CHARACTERS) break;
    watched.add(uri);
  }
  return [...watched];
}
