const FIRES_ONCE = "An abort signal fires once, whether or not its listener stays.";

/**
 * Mutants of which a person judged that nobody can see the difference: a line of the sources, what stands before the token on
 * it, and why.
 *
 * @type {readonly { file: string, line: string, before: string, reason: string }[]}
 */
export const EQUIVALENT = [
  {
    file: "packages/client/src/auth/browser/popup-login.ts",
    line: 'signal.addEventListener("abort", () => fail(signal.reason as Error), { once: true });',
    before: 'signal.addEventListener("abort", () => fail(signal.reason as Error), { once: ',
    reason: FIRES_ONCE,
  },
  {
    file: "packages/client/src/auth/node/callback-listener.ts",
    line: 'signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });',
    before: 'signal.addEventListener("abort", () => reject(signal.reason as Error), { once: ',
    reason: FIRES_ONCE,
  },
  {
    file: "packages/gateway/src/admin/api/live.ts",
    line: 'else signal.addEventListener("abort", close, { once: true });',
    before: 'else signal.addEventListener("abort", close, { once: ',
    reason: FIRES_ONCE,
  },
  {
    file: "packages/gateway/src/servers/admin-call.ts",
    line: "{ once: true },",
    before: "{ once: ",
    reason: FIRES_ONCE,
  },
  {
    file: "packages/client/src/auth/providers/server-access.ts",
    line: "return expiresAt - Date.now() < ms;",
    before: "return expiresAt - Date.now() ",
    reason: "Differs in one millisecond of a tolerance of a second, which stands for clocks that differ by more.",
  },
  {
    file: "packages/gateway/src/storage/database/postgres.ts",
    line: "prepare: true,",
    before: "prepare: ",
    reason: "The driver does it by itself, and the statements that matter say so on their own. It is about speed.",
  },
  {
    file: "packages/server/src/auth/issuer/keys.ts",
    line: "if (timeSince(this.#triedAt) < cooldown * this.#jitter) {",
    before: "if (timeSince(this.#triedAt) < cooldown ",
    reason: "The factor is random, from 0.9 to 1.1; its inverse is from 0.91 to 1.11.",
  },
];
