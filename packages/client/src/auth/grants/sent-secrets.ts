import type { AuthFetch } from "../network/network.ts";

/** The parameters of requests to authorization servers that nobody else may see. */
const SECRET_PARAMETERS = [
  "code",
  "code_verifier",
  "refresh_token",
  "client_secret",
  "client_assertion",
  "assertion",
  "subject_token",
];

/** Shorter texts are parts of ordinary words. */
const MIN_LENGTH = 4;

/** The secrets in a request. Authorization servers repeat them in their errors, and errors end up in logs. */
export class SentSecrets {
  readonly #secrets = new Set<string>();

  /** Remembers the secrets of all requests that a function sends. */
  watch(fetch: AuthFetch): AuthFetch {
    return (url, init) => {
      this.#see(init);
      return fetch(url, init);
    };
  }

  #see({ body, headers }: RequestInit): void {
    const form = body instanceof URLSearchParams || typeof body === "string" ? new URLSearchParams(body) : undefined;
    for (const name of SECRET_PARAMETERS) this.#add(form?.get(name));
    const [scheme, credentials = ""] = new Headers(headers).get("authorization")?.split(" ") ?? [];
    this.#add(credentials);
    if (scheme !== "Basic") return;
    const secret = atob(credentials).split(":")[1] ?? "";
    this.#add(new URLSearchParams(`secret=${secret}`).get("secret"));
  }

  /** Puts dots in the place of every secret in a text. */
  hide(text: string): string {
    return [...this.#secrets].reduce((hidden, secret) => hidden.replaceAll(secret, "…"), text);
  }

  #add(secret: string | null | undefined): void {
    if (typeof secret !== "string" || secret.length < MIN_LENGTH) return;
    const form = new URLSearchParams({ "": secret }).toString().slice(1);
    // As it is, in a URL, in a form, and in a form that was decoded by halves.
    for (const spelling of [secret, encodeURIComponent(secret), form, secret.replaceAll(" ", "+")]) {
      this.#secrets.add(spelling);
    }
  }
}
