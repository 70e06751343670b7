/** What a reference into a document of JSON leads to, `#/$defs/a` for example; `undefined` if it leads nowhere. */
export function followPointer(document: unknown, reference: string): unknown {
  let here = document;
  for (const part of reference.split("/").slice(1)) {
    const key = decode(part)?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (key === undefined || typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = here[key as never];
  }
  return here;
}

/** A pointer in a reference is also percent-encoded (RFC 6901, section 6). */
function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
