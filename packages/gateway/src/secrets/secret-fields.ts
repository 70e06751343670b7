import { SECRET_MARK } from "./secret.ts";

/** JSON in a string in JSON in a string: deeper levels are redacted as a whole. */
const DEEPEST = 3;

/**
 * Takes the values of fields such as `password`, `token`, `secret` and `apiKey` out of a captured body, in JSON and in forms. The body
 * may be cut off anywhere. The work is linear in its length.
 */
export function redactFields(text: string): string {
  return redactForm(redactJson(text, DEEPEST));
}

/** Whether a field of this name holds a secret, by its name alone. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return (
    /passw|pwd|passphrase|secret|token|credential|authorization|cookie|session|signature/.test(plain) ||
    /(?:keys?|^auth|^pin|^otp|^jwt|^cvc|^cvv)$/.test(plain)
  );
}

/**
 * Walks over the text token by token, so that it needs neither valid nor complete JSON. The end of a string may be the beginning of the
 * next one: a quotation mark in the text around JSON, as in `5" pipes`, would make all others stand for the opposite.
 */
function redactJson(text: string, depth: number): string {
  let redacted = "";
  let copied = 0;
  let index = text.indexOf('"');
  while (index !== -1) {
    const end = endOfString(text, index);
    const value = afterColon(text, end);
    if (value === undefined) {
      const inner = redactNested(text.slice(index, end), depth);
      if (inner !== undefined) {
        redacted += text.slice(copied, index) + inner;
        copied = end;
      }
      index = text.indexOf('"', inner === undefined ? Math.max(index + 1, end - 1) : end);
    } else if (isSecretName(text.slice(index + 1, end - 1))) {
      redacted += `${text.slice(copied, value)}"${SECRET_MARK}"`;
      copied = endOfValue(text, value);
      index = text.indexOf('"', copied);
    } else {
      index = text.indexOf('"', value);
    }
  }
  return redacted + text.slice(copied);
}

/** JSON inside of a string, such as the text of a tool's result. `undefined` if the string holds none, or no secret. */
function redactNested(token: string, depth: number): string | undefined {
  if (!/^"\s*(?:[[{]|\\[nrt])/.test(token) || !token.includes('\\"')) return undefined;
  try {
    const text = JSON.parse(token) as string;
    const redacted = depth === 0 ? SECRET_MARK : redactJson(text, depth - 1);
    return redacted === text ? undefined : JSON.stringify(redacted);
  } catch {
    // Cut off in the middle, or no JSON: fields in it cannot be told apart.
    return `"${SECRET_MARK}"`;
  }
}

/** `name=value` of forms and of URLs in texts. */
function redactForm(text: string): string {
  return text.replaceAll(/([?&;\s]|^)([\w.[\]%-]{1,64})=([^&;\s"'<>]+)/g, (all, before: string, name: string) =>
    isSecretName(name) ? `${before}${name}=${SECRET_MARK}` : all,
  );
}

/** The index after the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const unit = text[index];
    if (unit === "\\") index += 1;
    else if (unit === '"') return index + 1;
  }
  return text.length;
}

/** The index of the value, if the string before was the name of a field. */
function afterColon(text: string, end: number): number | undefined {
  let index = skipSpace(text, end);
  if (text[index] !== ":") return undefined;
  index = skipSpace(text, index + 1);
  return index < text.length ? index : undefined;
}

function skipSpace(text: string, start: number): number {
  let index = start;
  while (index < text.length && " \t\r\n".includes(text.charAt(index))) index += 1;
  return index;
}

/** The index after a value of any kind, with everything in it. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length;) {
    const unit = text.charAt(index);
    if (unit === '"') {
      index = endOfString(text, index);
    } else if (unit === "{" || unit === "[") {
      depth += 1;
      index += 1;
    } else if (unit === "}" || unit === "]") {
      if (depth === 0) return index;
      depth -= 1;
      index += 1;
    } else if (unit === "," && depth === 0) {
      return index;
    } else {
      index += 1;
      continue;
    }
    if (depth === 0) return index;
  }
  return text.length;
}
