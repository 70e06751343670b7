import type { IncomingMessage } from "node:http";

/**
 * The `Host` of a request. Node keeps the first of several; here they are joined, like other headers that are repeated, so
 * that nobody takes the first for the only one.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  // Adapters for functions in the cloud make requests that do not have these.
  const raw: readonly string[] = request.rawHeaders ?? [];
  let hosts = "";
  let count = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    if (name.length !== HOST.length || name.toLowerCase() !== HOST) continue;
    count += 1;
    hosts = count === 1 ? raw[index + 1]! : `${hosts}, ${raw[index + 1]}`;
  }
  return count > 1 ? hosts : headerOf(request, HOST);
}

const HOST = "host";

/** A request header, by its lower-case name; repeated ones are joined as HTTP says. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  // Whoever asks for `constructor` finds more than headers.
  const value: unknown = headers[name];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(", ") : undefined;
}
