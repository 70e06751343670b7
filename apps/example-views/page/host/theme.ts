import type { HostContext } from "@toolwire/views/host";

export type Theme = "light" | "dark";

/** The look of this host, in the variables that views know. Both themes are in each value. */
const VARIABLES = {
  "--color-background-primary": "light-dark(#ffffff, #151b26)",
  "--color-background-secondary": "light-dark(#f1f5f9, #1e293b)",
  "--color-background-info": "light-dark(#4338ca, #a5b4fc)",
  "--color-text-primary": "light-dark(#0f172a, #f1f5f9)",
  "--color-text-secondary": "light-dark(#475569, #94a3b8)",
  "--color-text-inverse": "light-dark(#ffffff, #1e1b4b)",
  "--color-text-danger": "light-dark(#b91c1c, #fca5a5)",
  "--color-border-primary": "light-dark(#cbd5e1, #334155)",
  "--font-sans": "system-ui, sans-serif",
  "--border-radius-md": "8px",
} as const;

/** What views are told about the look of the host. */
export function contextFor(theme: Theme): HostContext {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { theme, styles: { variables: VARIABLES }, locale: navigator.language, timeZone, platform: "web" };
}
