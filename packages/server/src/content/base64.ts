/** As many bytes at a time as can safely be spread into the arguments of one call. */
const CHUNK = 0x2000;

/** Base64 of bytes. */
export function toBase64(data: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < data.length; start += CHUNK) {
    binary += String.fromCharCode(...data.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Base64 that needs no escaping in a URL or a header, without padding (RFC 4648, section 5). */
export function toBase64Url(data: Uint8Array): string {
  return toBase64(data).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of {@link toBase64Url}, or `undefined` if the text is none of its making. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
