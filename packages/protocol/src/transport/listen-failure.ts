/** The reasons for which an operating system refuses an address, by their codes. */
const REASONS: { readonly [code: string]: string } = {
  EADDRINUSE: "another program uses this port",
  EACCES: "this user may not use this port; those below 1024 often need more rights",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no machine of this name",
  EAI_AGAIN: "the name cannot be looked up",
};

/**
 * Says in a line why a program cannot listen, and what to do.
 *
 * @param what such as `The admin listener`
 * @param advice one sentence for the user, such as how to choose another port
 */
export function explainListenFailure(
  cause: unknown,
  { what, host, port, advice }: { what: string; host: string; port: number; advice: string },
): string {
  const { code = "", message = String(cause) } = cause as { readonly code?: string; readonly message?: string };
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : message;
  const address = host.includes(":") ? `[${host}]` : host;
  return `${what} cannot listen on ${address}:${port}: ${reason}. ${advice}`;
}
