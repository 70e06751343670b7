import type { ClientEra } from "./eras/era.ts";
import { modernEra } from "./eras/modern.ts";
import { legacyEra } from "./legacy/era.ts";

/** The eras that clients speak, in order of preference. This is the only place that knows how many there are. */
export const ERAS: readonly ClientEra[] = [
  modernEra,
  legacyEra, // Without this line and its import, clients speak the modern era only.
];
