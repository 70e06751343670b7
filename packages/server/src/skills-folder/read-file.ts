import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FoundFile } from "./walk.ts";

/**
 * Opens without following a link that has taken the place of the file meanwhile, and without waiting for the other end of a pipe. Windows
 * has neither flag.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a file that was found. Throws if it is no longer what was found. */
export async function readFoundFile({ place, size }: FoundFile): Promise<Uint8Array> {
  const file = await open(place, FLAGS);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size !== size) throw new Error("it has changed while it was read");
    const bytes = new Uint8Array(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length, length);
      if (bytesRead === 0) throw new Error("it has become shorter while it was read");
      length += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}
