/** As much of RFC 6455 as it takes to send text to a server on this machine and to count what comes back. */
import type { PreparedRequest } from "../workload/requests.ts";

const FINAL_TEXT = 0x81;
const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** A message as a client's frame. The mask is all zeros, so that the id can be changed in place. */
export function frameMessage({ bytes, idOffset }: PreparedRequest): PreparedRequest {
  const length = bytes.length;
  const mask = Buffer.alloc(4);
  let head: Buffer;
  if (length < LENGTH_16) {
    head = Buffer.from([FINAL_TEXT, MASKED | length]);
  } else if (length < 0x1_00_00) {
    head = Buffer.from([FINAL_TEXT, MASKED | LENGTH_16, 0, 0]);
    head.writeUInt16BE(length, 2);
  } else {
    head = Buffer.concat([Buffer.from([FINAL_TEXT, MASKED | LENGTH_64]), Buffer.alloc(8)]);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return { bytes: Buffer.concat([head, mask, bytes]), idOffset: head.length + mask.length + idOffset };
}

/** Fed with bytes as they arrive, calls back once per unfragmented text frame of a server. */
export class FrameReader {
  readonly #onText: (payload: readonly Buffer[]) => void;
  #pending: Buffer | undefined;
  #payload: Buffer[] = [];
  #missing = 0;

  constructor(onText: (payload: readonly Buffer[]) => void) {
    this.#onText = onText;
  }

  push(received: Buffer): void {
    let bytes = received;
    if (this.#pending !== undefined) {
      bytes = Buffer.concat([this.#pending, received]);
      this.#pending = undefined;
    }
    let at = 0;
    while (at < bytes.length) {
      if (this.#missing === 0) {
        const start = this.#readHead(bytes, at);
        if (start === -1) {
          this.#pending = bytes.subarray(at);
          return;
        }
        at = start;
      }
      const end = Math.min(at + this.#missing, bytes.length);
      this.#payload.push(bytes.subarray(at, end));
      this.#missing -= end - at;
      at = end;
      if (this.#missing === 0) {
        const payload = this.#payload;
        this.#payload = [];
        this.#onText(payload);
      }
    }
  }

  /** Returns where the payload begins, or -1 when the head is not complete. */
  #readHead(bytes: Buffer, at: number): number {
    if (bytes.length < at + 2) return -1;
    if (bytes[at] !== FINAL_TEXT) throw new Error(`Expected a whole text frame, got opcode byte ${bytes[at]}.`);
    const length = bytes.readUInt8(at + 1);
    if (length < LENGTH_16) {
      this.#missing = length;
      return at + 2;
    }
    const size = length === LENGTH_16 ? 2 : 8;
    if (bytes.length < at + 2 + size) return -1;
    this.#missing = size === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    return at + 2 + size;
  }
}
