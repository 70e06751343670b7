/**
 * The server's half of the stdio binding.
 *
 * @packageDocumentation
 */
export { serveStdio, type ServeStdioOptions, type StdioListener } from "./serve-stdio.ts";
