/** 1st, 2nd, 3rd, 4th. */
export function toOrdinal(number: number): string {
  const teens = number % 100 >= 11 && number % 100 <= 13;
  const ending = teens ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

/** Milliseconds as `0.731 s`. */
export function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** Breaks a text into lines of at most so many characters, between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
