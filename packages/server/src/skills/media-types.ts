/** Types by the end of a file's name, for files that skills usually have. */
const TYPES: ReadonlyMap<string, string> = new Map<string, string>([
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["markdown", "text/markdown"],
  ["md", "text/markdown"],
  ["mjs", "text/javascript"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["webp", "image/webp"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["zip", "application/zip"],
]);

/** The type of a file by its name; that of a text or of bytes for names that say nothing. */
export function mediaTypeOf(path: string, isText: boolean): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return TYPES.get(extension) ?? (isText ? "text/plain" : "application/octet-stream");
}
