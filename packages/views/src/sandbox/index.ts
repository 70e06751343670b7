/**
 * The page in which a host shows views, for whatever serves it.
 *
 * @packageDocumentation
 */
export { createSandboxPage, type SandboxPage, type SandboxPageOptions } from "./create-sandbox-page.ts";
