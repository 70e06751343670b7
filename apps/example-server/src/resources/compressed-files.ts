import { randomUUID } from "node:crypto";
import { resource } from "@toolwire/server";

/** A file that was compressed for a client, and can be read by it for a while. */
interface CompressedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const MAX_FILES = 100;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

/**
 * The files that were compressed last. They are listed nowhere, and their addresses cannot be guessed, so that a file can
 * be read by whoever was given its address, and by nobody else.
 */
class CompressedFiles {
  readonly #files = new Map<string, CompressedFile>();
  #totalBytes = 0;

  /** Keeps a file, and returns its address. The oldest make room for it. */
  add(name: string, bytes: Uint8Array): string {
    const id = randomUUID();
    this.#files.set(id, { name, bytes });
    this.#totalBytes += bytes.length;
    for (const [oldest, file] of this.#files) {
      if (this.#files.size <= MAX_FILES && this.#totalBytes <= MAX_TOTAL_BYTES) break;
      this.#files.delete(oldest);
      this.#totalBytes -= file.bytes.length;
    }
    return `demo://resource/session/${id}/${name}`;
  }

  find(id: string, name: string): Uint8Array | undefined {
    const file = this.#files.get(id);
    return file?.name === name ? file.bytes : undefined;
  }
}

/** The files of this program. */
export const compressedFiles: CompressedFiles = new CompressedFiles();

export const compressedFile = resource({
  template: "demo://resource/session/{id}/{name}",
  title: "Compressed file",
  description: "A file that `gzip-file-as-resource` has compressed.",
  mimeType: "application/gzip",
  read: ({ id, name }) => compressedFiles.find(id, name),
});
