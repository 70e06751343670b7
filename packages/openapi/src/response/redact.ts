/** Clears texts of credentials. APIs at times repeat a key that they refuse. */

/** The text that takes the place of a credential. */
const REPLACEMENT = "[secret]";
/** Shorter values are too likely to be words of a text. */
const SHORTEST = 8;

/** Replaces the values of credentials in a text, also where they are percent-encoded or in base64. */
export function redactSecrets(text: string, secrets: readonly string[] | undefined): string {
  if (secrets === undefined) return text;
  let redacted = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const form of formsOf(secret)) {
      if (redacted.includes(form)) redacted = redacted.replaceAll(form, REPLACEMENT);
    }
  }
  return redacted;
}

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)];
  try {
    const bytes = new TextEncoder().encode(secret);
    const base64 = btoa(String.fromCharCode(...bytes.subarray(0, 4096))).replace(/={1,2}$/, "");
    forms.push(encodeURIComponent(secret), base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
  } catch {
    // Half of a surrogate pair has no encoding.
  }
  // The longest first, so that no form leaves the rest of another behind.
  return forms.toSorted((one, other) => other.length - one.length);
}
