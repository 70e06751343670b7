/** Values of credentials: fixed, or looked up for each call. */
import { UsageError } from "@toolwire/protocol";
import { describeKind } from "@toolwire/protocol/internal";
import { type Awaitable, ToolError } from "@toolwire/server";
import { isHeaderValue } from "../request/headers.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { AuthSubject } from "./auth.ts";

/**
 * The value of a credential: fixed text, or a function that looks it up, for instance by the id of the caller. `undefined` means
 * that the caller has none: the call fails with a text for the model.
 */
export type CredentialValue = string | ((subject: AuthSubject) => Awaitable<string | undefined>);

/** Checks a value when it is defined. The error never shows it. */
export function expectCredential(name: string, value: CredentialValue): CredentialValue {
  if (typeof value === "function") return value;
  if (typeof value !== "string") {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `\`${name}\` must be text, or a function that returns text; got ${describeKind(value)}.`,
    );
  }
  if (!isHeaderValue(value)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `\`${name}\` contains a line break or another character that no header can carry. It may have been read from a file: trim it.`,
    );
  }
  return value;
}

/** Looks a value up, and uses it. Waits only if the lookup does. */
export function withCredential(
  value: CredentialValue,
  subject: AuthSubject,
  use: (text: string) => void,
): Awaitable<void> {
  if (typeof value === "string") return use(value);
  const found = value(subject);
  if (typeof found === "object" && found !== null) return found.then((text) => use(expectFound(text)));
  return use(expectFound(found));
}

function expectFound(text: string | undefined): string {
  if (text === undefined || text === null) {
    throw new ToolError(
      "Error: There is no credential of yours for this API. Ask the operator of this server to add one",
    );
  }
  if (typeof text === "string" && isHeaderValue(text)) return text;
  throw new ToolError(
    "Error: Your credential for this API cannot be sent. Ask the operator of this server to correct it",
  );
}

/** Notes that a request contains a credential, so that results and errors can be cleared of it. */
export function noteSecret(request: HttpRequest, secret: string): void {
  request.secrets = request.secrets === undefined ? [secret] : [...request.secrets, secret];
}
