const encoder = new TextEncoder();

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The bytes in pieces of these sizes, which are repeated until nothing is left. */
export function* chunksOf(whole: Uint8Array, ...sizes: number[]): Generator<Uint8Array> {
  for (let start = 0, turn = 0; start < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield whole.slice(start, start + size);
    start += size;
  }
}
