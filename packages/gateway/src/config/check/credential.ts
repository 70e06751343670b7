import { apiKey, headers } from "@toolwire/openapi";
import { findNearestName } from "@toolwire/json-schema/internal";
import { UsageError } from "@toolwire/server";
import { type Checks, HTTP } from "./checks.ts";
import type { CredentialConfig } from "../config.ts";
import { listTexts } from "../credential-texts.ts";
import type { ConfigPath } from "../problem.ts";

/** Checks a credential for an API. */
export function checkCredential(credential: CredentialConfig, path: ConfigPath, checks: Checks): void {
  const { connectUrl, perUser } = credential;
  if (connectUrl !== undefined) checks.page(connectUrl, [...path, "connectUrl"]);
  if ("clientCredentials" in credential) {
    checks.url(credential.clientCredentials.tokenUrl, HTTP, [...path, "clientCredentials", "tokenUrl"]);
  }
  const texts = listTexts(credential);
  for (const [member, text] of texts) checks.secret(text, [...path, ...member], perUser === true);
  const isSecret = texts.some(([, text]) => text.includes("${secret:"));
  if (perUser === true && !isSecret) {
    checks.error(path, "With `perUser`, the value is a secret of each caller: write it as `${secret:name}`.");
  }
  if ("headers" in credential) {
    for (const name of Object.keys(credential.headers)) {
      expectMade(() => headers({ [name]: "value" }), [...path, "headers", name], checks);
    }
  }
  if ("apiKey" in credential) {
    const { in: place, name, prefix } = credential;
    expectMade(() => apiKey({ value: "value", in: place, name, prefix }), [...path, "name"], checks);
  }
  if ("apiKey" in credential && credential.in === "query") {
    checks.warn(path, "A key in the query may end up in the logs of others. Use a header if the API takes one.");
  }
}

/** Makes a credential with another value, because names of headers are checked then. */
function expectMade(make: () => unknown, path: ConfigPath, checks: Checks): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    checks.error(path, error.message);
  }
}

/** Checks the name by which a tool or a document refers to a credential. */
export function checkCredentialName(
  name: string | undefined,
  credentials: object,
  path: ConfigPath,
  checks: Checks,
): void {
  if (name === undefined || name === "none" || Object.hasOwn(credentials, name)) return;
  const known = Object.keys(credentials);
  const nearest = findNearestName(name, known);
  const advice =
    nearest === undefined ? `\`credentials\` has ${known.join(", ") || "nothing"}.` : `did you mean "${nearest}"?`;
  checks.error(path, `There is no credential of this name; ${advice}`);
}
