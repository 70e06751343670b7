/**
 * Whether a text is an origin that a content policy may name: `https://api.example.com`, `https://*.example.com`, `wss:` likewise,
 * and for development `http:` and `ws:` of this machine. Everything else is refused: keywords (`'unsafe-eval'`), schemes alone
 * (`data:`), a lone `*`, paths, and whatever would begin another directive.
 *
 * It uses nothing but its parameter, because sandbox pages contain its text.
 */
export function isContentSource(text: unknown): text is string {
  if (typeof text !== "string" || text.length > 300) return false;
  const port = "(?::\\d{1,5})?";
  const label = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
  const name = `(?:\\*\\.)?${label}(?:\\.${label})+`;
  const isRemote = new RegExp(`^(?:https|wss)://${name}${port}$`, "i").test(text);
  const local = "(?:localhost|127\\.0\\.0\\.1|\\[::1\\])";
  return isRemote || new RegExp(`^(?:https?|wss?)://${local}${port}$`, "i").test(text);
}
