/** Headers that are never copied from callers to APIs: they are meant for the gateway, or for one connection. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "origin",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers by which callers show the gateway, or a proxy in front of it, who they are. */
const AUTHENTICATION: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "dpop",
  "proxy-authorization",
  "x-api-key",
]);

/** Whether a header of a caller may be copied to requests to APIs. */
export function isForwardable(header: string): boolean {
  return explainUnforwardable(header) === undefined;
}

/** Why a header of callers cannot be copied to requests to APIs; `undefined` if it can. */
export function explainUnforwardable(header: string): string | undefined {
  const name = header.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return "This is not the name of a header.";
  if (AUTHENTICATION.has(name)) {
    return `The header ${header} is never forwarded. It authenticates callers to the gateway: use \`credentials\` instead.`;
  }
  const isOfConnection = NEVER_FORWARDED.has(name) || /^(mcp|sec|proxy)-/.test(name);
  return isOfConnection ? `The header ${header} is never forwarded.` : undefined;
}
