/** Beyond so many bytes, the exact number does not matter, and the rest is not counted. */
const MOST = 16 * 1024 * 1024;

/**
 * About how many bytes a value takes as JSON. Unlike `JSON.stringify`, it needs no stack and stops at a limit, so that values of
 * strangers can be measured, however deep they are.
 */
export function measureJson(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes < MOST) {
    const next = open.pop();
    if (typeof next === "string") bytes += bytesOf(next) + 2;
    else if (Array.isArray(next)) {
      bytes += 1 + Math.max(next.length, 1);
      for (const item of next) open.push(item);
    } else if (typeof next === "object" && next !== null) {
      bytes += 1;
      for (const [key, member] of Object.entries(next)) {
        if (member === undefined) continue;
        bytes += bytesOf(key) + 4;
        open.push(member);
      }
    } else bytes += String(next).length;
  }
  return Math.min(bytes, MOST);
}

/** About how many tokens so many bytes of JSON cost a model: a quarter. Models count differently, and none of them as JSON does. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** The bytes of a text in UTF-8. Those of long texts are counted as characters: nobody needs their exact number. */
function bytesOf(text: string): number {
  if (text.length > 4096) return text.length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Half of a pair of surrogates is half of four bytes.
    bytes += unit < 0x8_00 || (unit >= 0xd8_00 && unit <= 0xdf_ff) ? 1 : 2;
  }
  return bytes;
}
