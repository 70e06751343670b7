import { expectOption, invalidOption } from "@toolwire/protocol/internal";
import { isLoopbackAddress } from "../bindings/admission/hosts.ts";

const EXPECTED_RESOURCE =
  'the URL by which clients reach the server, such as "https://api.example.com/mcp": https (or http on this machine), without user, query and fragment';

/** Checks the URL of a resource, and returns it as it is: tokens have exactly this text as their audience. */
export function expectResource(resource: unknown): string {
  const fits = isSecureUrl(resource) && !/[?#\s]/.test(resource);
  return expectOption("resource", resource, fits, EXPECTED_RESOURCE) as string;
}

/** Checks a URL of an authorization server: https, or http on this machine. */
export function expectSecureUrl(name: string, url: unknown): string {
  if (isSecureUrl(url) && !/[#\s]/.test(url)) return url;
  throw invalidOption(name, url, 'a URL such as "https://auth.example.com": https, or http on this machine');
}

/** Whether a value is a URL that secrets may be sent to, and that keys may come from. */
export function isSecureUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== "" || password !== "") return false;
  const isLocal = isLoopbackAddress(hostname) || hostname.endsWith(".localhost");
  return protocol === "https:" || (protocol === "http:" && isLocal);
}

/** Checks a list of algorithms. None that is allowed works with a shared secret, or without a signature. */
export function expectAlgorithms(
  name: string,
  value: readonly string[],
  allowed: readonly string[],
): readonly string[] {
  const fits = isList(value) && value.every((each) => (allowed as readonly unknown[]).includes(each));
  return expectOption(name, value, fits, `a list of ${allowed.join(", ")}`);
}

/** Checks a text or a list of texts, and returns a list. */
export function expectNames(name: string, value: string | readonly string[]): readonly string[] {
  const list = typeof value === "string" ? [value] : value;
  const fits = isList(list) && list.every((each) => typeof each === "string");
  return expectOption(name, list, fits, "a text, or a list of texts");
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}
