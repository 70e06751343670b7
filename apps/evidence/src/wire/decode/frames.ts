const TEXT = 1;
const CONTINUATION = 0;

/** The text messages in a stream of WebSocket frames (RFC 6455, section 5.2). One that was cut off is left out. */
export function decodeFrames(bytes: Buffer): string[] {
  const messages: string[] = [];
  let parts: Buffer[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const first = bytes.readUInt8(at);
    const second = bytes.readUInt8(at + 1);
    // Compressed messages have RSV1 set (RFC 7692); neither half of ours agrees to that.
    if ((first & 0x70) !== 0) {
      throw new Error("This WebSocket connection uses an extension, which cannot be read here.");
    }
    const opcode = first & 0x0f;
    const { length, headerEnd } = readLength(bytes, at + 2, second & 0x7f);
    const mask = (second & 0x80) === 0 ? undefined : bytes.subarray(headerEnd, headerEnd + 4);
    const start = headerEnd + (mask?.length ?? 0);
    const end = start + length;
    if (end > bytes.length) break;
    if (opcode === TEXT || opcode === CONTINUATION) {
      parts.push(unmask(bytes.subarray(start, end), mask));
      if ((first & 0x80) !== 0) {
        messages.push(Buffer.concat(parts).toString("utf8"));
        parts = [];
      }
    }
    at = end;
  }
  return messages;
}

function readLength(bytes: Buffer, at: number, short: number): { length: number; headerEnd: number } {
  const width = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (at + width > bytes.length) return { length: Number.POSITIVE_INFINITY, headerEnd: at };
  if (width === 0) return { length: short, headerEnd: at };
  return { length: width === 2 ? bytes.readUInt16BE(at) : Number(bytes.readBigUInt64BE(at)), headerEnd: at + width };
}

function unmask(payload: Buffer, mask: Buffer | undefined): Buffer {
  if (mask === undefined) return payload;
  return Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}
