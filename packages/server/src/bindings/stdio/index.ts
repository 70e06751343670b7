/**
 * The server's half of the stdio binding.
 *
 * @packageDocumentation
 */
export { serveStdio, type ServeStdioOptions, type StdioServing } from "./serve-stdio.ts";
