import type { ServerConfig } from "./config.ts";

/** Whether a server knows who its callers are. Without a word about it, only callers on this machine need nothing. */
export function identifiesCallers({ auth }: ServerConfig, isOnLoopback: boolean): boolean {
  return auth === undefined ? !isOnLoopback : auth !== "none";
}

/** Whether callers of a server can have API keys. */
export function takesKeys(server: ServerConfig, isOnLoopback: boolean): boolean {
  const { auth } = server;
  return typeof auth === "object" ? auth.apiKeys === true : identifiesCallers(server, isOnLoopback);
}
