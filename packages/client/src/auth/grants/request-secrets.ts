import { createClearing } from "@toolwire/protocol/internal";
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
  "token",
];

/** The secrets in requests to an authorization server. It repeats them in its errors, and errors end up in logs. */
export class RequestSecrets {
  readonly #secrets = new Set<string>();

  /** Remembers the secrets of all requests that a function sends. */
  watch(fetch: AuthFetch): AuthFetch {
    return (url, init) => {
      this.#see(init);
      return fetch(url, init);
    };
  }

  /** Puts `[secret]` in the place of every secret in a text. */
  clear(text: string): string {
    return createClearing([...this.#secrets]).text(text);
  }

  #see({ body, headers }: RequestInit): void {
    const form = body instanceof URLSearchParams || typeof body === "string" ? new URLSearchParams(body) : undefined;
    for (const name of SECRET_PARAMETERS) this.#add(form?.get(name));
    const given = new Headers(headers);
    this.#add(given.get("dpop"));
    const [scheme, credentials = ""] = given.get("authorization")?.split(" ") ?? [];
    this.#add(credentials);
    if (scheme !== "Basic") return;
    const secret = atob(credentials).split(":")[1] ?? "";
    this.#add(secret);
    this.#add(new URLSearchParams(`secret=${secret}`).get("secret"));
  }

  #add(secret: string | null | undefined): void {
    if (typeof secret === "string") this.#secrets.add(secret);
  }
}
