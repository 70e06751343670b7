/** RFC 6901: names, each after a slash, in which a tilde is written as `~0` and a slash as `~1`. */
export function isPointer(text: string): boolean {
  return (text === "" || text.startsWith("/")) && !/~(?![01])/.test(text);
}

/** JSON Schema's relative JSON pointers: how many levels to go up, then a pointer, or `#` for the name of the place. */
export function isRelativePointer(text: string): boolean {
  const [levels] = /^(?:0|[1-9]\d*)/.exec(text) ?? [];
  if (levels === undefined) return false;
  const rest = text.slice(levels.length);
  return rest === "#" || isPointer(rest);
}
