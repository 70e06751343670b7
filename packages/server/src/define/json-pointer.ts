/** What a reference into a document of JSON leads to, `#/$defs/a` for example; `undefined` if it leads nowhere. */
export function followPointer(document: unknown, reference: string): unknown {
  try {
    return reference.split("/").slice(1).reduce(enter, document);
  } catch {
    // What is no percent-encoding, and what would lead into nothing.
    return undefined;
  }
}

/** A pointer in a reference is also percent-encoded (RFC 6901, section 6). */
function enter(here: unknown, part: string): unknown {
  const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  const members = here as { readonly [key: string]: unknown };
  return Object.hasOwn(members, key) ? members[key] : undefined;
}
