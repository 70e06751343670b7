/**
 * Characters that models read and people do not see. Some belong to ordinary text, where their neighbours need them: these
 * stay, one at a time. They cannot carry a hidden message, because each needs a visible neighbour.
 */

/** Runs of characters that have no shape of their own, and marks of interlinear annotations. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu;

/** Removes invisible characters, except where writing needs them. Line separators become line breaks. */
export function removeInvisible(text: string): string {
  return text.replaceAll(/[\u2028\u2029]/g, "\n").replaceAll(INVISIBLE, (run: string, start: number) => {
    const before = Array.from(text.slice(Math.max(0, start - 2), start)).at(-1) ?? "";
    return neededOf(run, before, characterAt(text, start + run.length));
  });
}

/**
 * Scripts whose letters join, or form conjuncts, and can be kept from it by U+200C or made to by U+200D (Unicode, section
 * 23.2).
 */
const JOINING_SCRIPTS =
  "Arabic Syriac Mandaic Nko Mongolian Phags_Pa Hanifi_Rohingya Adlam Devanagari Bengali Gurmukhi Gujarati Oriya Tamil " +
  "Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese Sundanese Saurashtra Meetei_Mayek Chakma " +
  "Grantha Newa Tirhuta Siddham Modi Takri Sharada Khojki Khudawadi Brahmi Kaithi Dogra Tai_Tham Lepcha Limbu Syloti_Nagri";

let joining: RegExp | undefined;

/** Makes the pattern on first use: forty scripts take two milliseconds, which no server should need to start. */
function joiningPattern(): RegExp {
  const scripts = JOINING_SCRIPTS.split(" ").map((name) => String.raw`\p{scx=${name}}`);
  joining ??= new RegExp(String.raw`^(?=[\p{L}\p{M}])(?!\p{scx=Latin})[${scripts.join("")}]$`, "u");
  return joining;
}

const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const PICTOGRAPH_OR_TONE = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u;
const MONGOLIAN = /^(?=\p{L})\p{Script=Mongolian}$/u;
const DUPLOYAN = /^\p{Script=Duployan}$/u;
const MARK = /^\p{M}$/u;

/** The flags of England, Scotland and Wales: the only ones with tags that are recommended (UTS 51, annex C). */
const BLACK_FLAG = "\u{1f3f4}";
const FLAG_TAGS = new Set(
  ["gbeng", "gbsct", "gbwls"].map(
    (region) => `${region.replaceAll(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))}\u{e007f}`,
  ),
);

/** The part of a run of invisible characters that the characters before and after it need. */
function neededOf(run: string, before: string, after: string): string {
  const first = characterAt(run, 0);
  switch (first) {
    case "\u200c":
      return isBesideJoining(before, after) ? first : "";
    case "\u200d":
      return isBesideJoining(before, after) || isBetweenEmoji(before, after) ? first : "";
    // Text, or an emoji, which may be joined to another one; or a keycap.
    case "\ufe0e":
      return PICTOGRAPH.test(before) ? first : "";
    case "\ufe0f":
      if (run === "\ufe0f\u200d" && isBetweenEmoji(before, after)) return run;
      return PICTOGRAPH.test(before) || (/^[\d#*]$/.test(before) && after === "\u20e3") ? first : "";
    case "\u{e0067}":
      return before === BLACK_FLAG && FLAG_TAGS.has(run) ? run : "";
    // Forms of Mongolian letters, and the gap before a last vowel.
    case "\u180b":
    case "\u180c":
    case "\u180d":
    case "\u180f":
      if (!MONGOLIAN.test(before)) return "";
      return run === `${first}\u180e` && MONGOLIAN.test(after) ? run : first;
    case "\u180e":
      return MONGOLIAN.test(before) && MONGOLIAN.test(after) ? first : "";
    // Keeps marks of Hebrew in the order in which they were written.
    case "\u034f":
      return MARK.test(before) && MARK.test(after) ? first : "";
    // Stands for the half that a syllable of old Hangul does not have.
    case "\u115f":
      return /^[\u1161-\u11a7\ud7b0-\ud7c6]$/.test(after) ? first : "";
    case "\u1160":
      return /^[\u1100-\u115e\ua960-\ua97c]$/.test(before) ? first : "";
    // Lets strokes of shorthand overlap.
    case "\u{1bca0}":
    case "\u{1bca1}":
    case "\u{1bca2}":
    case "\u{1bca3}":
      return DUPLOYAN.test(before) ? first : "";
    default:
      return "";
  }
}

/** Endings of Persian and Urdu are joined to words of other scripts, so either side will do. */
function isBesideJoining(before: string, after: string): boolean {
  return joiningPattern().test(before) || joiningPattern().test(after);
}

function isBetweenEmoji(before: string, after: string): boolean {
  return PICTOGRAPH_OR_TONE.test(before) && PICTOGRAPH.test(after);
}

/** The character at an index of a text; empty at its end. */
function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}
