/**
 * Logins and stores that need Node, Bun or Deno: a browser on the same machine, a terminal, files.
 *
 * @packageDocumentation
 */
export { fileStore, type FileStoreOptions } from "./file-store.ts";
export { loopbackLogin, type LoopbackLoginOptions, pasteLogin, type PasteLoginOptions } from "./loopback-login.ts";
