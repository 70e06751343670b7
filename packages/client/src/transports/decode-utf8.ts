import type { DecodeUtf8 } from "@toolwire/protocol/framing";

/** Decodes UTF-8 in Node: several times as fast as `TextDecoder` for short texts, which most messages are. */
export const decodeUtf8: DecodeUtf8 = (bytes, start, end) => {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("utf8", start, end);
};
