/** A document that everybody may read. It never changes: another text is another document. */
export class PublicDocument {
  /** The media type. */
  readonly type: string;
  readonly text: string;
  /** How many milliseconds it may be used. */
  readonly maxAge: number;
  #etag: Promise<string> | undefined;

  constructor(type: string, value: object, maxAge: number) {
    this.type = type;
    this.text = JSON.stringify(value);
    this.maxAge = maxAge;
  }

  /** The entity tag. Processes that publish the same document have the same. */
  etag(): Promise<string> {
    return (this.#etag ??= digest(this.text));
  }
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `"${Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}
