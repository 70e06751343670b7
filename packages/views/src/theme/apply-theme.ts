import type { HostContext } from "../model/context.ts";
import { STYLE_VARIABLES } from "../model/style-variables.ts";

/** The id of the style element that has the fonts of the host. */
const FONTS = "toolwire-host-fonts";

/**
 * Gives a document the look of the host: `color-scheme` and `data-theme`, the variables, and the fonts. {@link connectView} does it on its
 * own, unless it is told not to.
 */
export function applyTheme({ theme, styles }: HostContext, document: Document = globalThis.document): void {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") {
    root.dataset["theme"] = theme;
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (!STYLE_VARIABLES.has(name)) continue;
    if (typeof value === "string") root.style.setProperty(name, value);
    else root.style.removeProperty(name);
  }
  const fonts = styles?.css?.fonts;
  if (typeof fonts !== "string") return;
  const style = document.getElementById(FONTS) ?? document.head.appendChild(document.createElement("style"));
  style.id = FONTS;
  style.textContent = fonts;
}
