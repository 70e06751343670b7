const COLOR_KINDS = [
  "primary",
  "secondary",
  "tertiary",
  "inverse",
  "ghost",
  "info",
  "danger",
  "success",
  "warning",
] as const;
const SIZES = ["xs", "sm", "md", "lg"] as const;
const HEADING_SIZES = ["xs", "sm", "md", "lg", "xl", "2xl", "3xl"] as const;

type ColorKind = (typeof COLOR_KINDS)[number];
type RingKind = Exclude<ColorKind, "tertiary" | "ghost">;

/** The CSS variables that the extension defines. */
export type StyleVariable =
  | `--color-${"background" | "text" | "border"}-${ColorKind | "disabled"}`
  | `--color-ring-${RingKind}`
  | `--font-${"sans" | "mono"}`
  | `--font-weight-${"normal" | "medium" | "semibold" | "bold"}`
  | `--font-text-${(typeof SIZES)[number]}-${"size" | "line-height"}`
  | `--font-heading-${(typeof HEADING_SIZES)[number]}-${"size" | "line-height"}`
  | `--border-radius-${(typeof SIZES)[number] | "xl" | "full"}`
  | "--border-width-regular"
  | `--shadow-${"hairline" | "sm" | "md" | "lg"}`;

/** The names of all {@link StyleVariable}s. Others that a host sends are not set. */
export const STYLE_VARIABLES: ReadonlySet<string> = new Set<StyleVariable>([
  ...(["background", "text", "border"] as const).flatMap((use) =>
    [...COLOR_KINDS, "disabled" as const].map((kind) => `--color-${use}-${kind}` as const),
  ),
  ...COLOR_KINDS.filter((kind): kind is RingKind => kind !== "tertiary" && kind !== "ghost").map(
    (kind) => `--color-ring-${kind}` as const,
  ),
  "--font-sans",
  "--font-mono",
  ...(["normal", "medium", "semibold", "bold"] as const).map((weight) => `--font-weight-${weight}` as const),
  ...SIZES.flatMap((size) => [`--font-text-${size}-size`, `--font-text-${size}-line-height`] as const),
  ...HEADING_SIZES.flatMap((size) => [`--font-heading-${size}-size`, `--font-heading-${size}-line-height`] as const),
  ...[...SIZES, "xl" as const, "full" as const].map((size) => `--border-radius-${size}` as const),
  "--border-width-regular",
  ...(["hairline", "sm", "md", "lg"] as const).map((size) => `--shadow-${size}` as const),
]);
