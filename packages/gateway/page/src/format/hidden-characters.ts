/**
 * Makes characters visible that people do not see and models do: controls, marks that turn text around, zero-width characters,
 * and the invisible twins of letters (tags). A tool could hide orders to the model in them.
 */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧`;
  });
}

/** All control and format characters but line breaks and tabs, which belong to texts, and joiners, which belong to emoji. */
const HIDDEN = /(?![\n\r\t\u{200c}\u{200d}])[\p{Cc}\p{Cf}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu;
