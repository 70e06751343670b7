/** Words in the names of variables, headers and parameters that have credentials. */
const NAMES =
  /(?:^|[_.-])(?:token|secret|key|apikey|password|passwd|pass|pwd|auth|authorization|credentials?|cookie|pat|dsn|signature|sig)s?(?:$|[_.-])/;

/** How tokens of well-known services begin. */
const PREFIXES =
  /^(?:sk|pk|rk)[-_]|^gh[pousr]_|^github_pat_|^glpat-|^xox[abeprs]-|^AKIA|^AIza|^eyJ[\w-]+\.|^tw[ak]_|^npm_|^hf_|^Bearer /;

/**
 * Whether a value looks like a credential: by the name that it has, by its beginning, by a password in an address, or because it
 * is long and random. References, paths and words such as `true` are none.
 */
export function looksSecret(name: string, value: string): boolean {
  if (value === "" || /^\$\{[^}]*\}$/.test(value)) return false;
  if (PREFIXES.test(value) || /^\w+:\/\/[^/?#@:]*:[^/?#@]+@/.test(value)) return true;
  if (/^(?:true|false|\d{1,5}|[~.]?\/.*|[A-Za-z]:\\.*)$/.test(value)) return false;
  // `apiKey` and `API_KEY` are the same words.
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/^-+/, "");
  if (NAMES.test(words)) return true;
  return /^[\w+/=-]{24,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value) && !value.includes("/");
}
