import { crc32, deflateSync } from "node:zlib";

const SIZE = 16;

/** A disc in shades of teal on a transparent ground: a PNG of 16 by 16 pixels (ISO/IEC 15948). */
export const TINY_IMAGE: Uint8Array = encodePng(SIZE, (x, y) => {
  const distance = Math.hypot(x - (SIZE - 1) / 2, y - (SIZE - 1) / 2);
  const opacity = Math.max(0, Math.min(1, SIZE / 2 - distance));
  return [24, 120 + x * 6, 110 + y * 8, Math.round(opacity * 255)];
});

/** Encodes a square picture, whose pixels are red, green, blue and opacity, each from 0 to 255. */
function encodePng(size: number, pixelAt: (x: number, y: number) => readonly number[]): Uint8Array {
  const rows: number[] = [];
  for (let y = 0; y < size; y++) {
    // Each row begins with its filter, here none.
    rows.push(0);
    for (let x = 0; x < size; x++) rows.push(...pixelAt(x, y));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits a channel, colour type 6: red, green, blue, opacity.
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    encodeChunk("IHDR", header),
    encodeChunk("IDAT", deflateSync(Buffer.from(rows))),
    encodeChunk("IEND", Buffer.alloc(0)),
  ]);
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
