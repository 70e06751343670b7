import { useEffect, useState } from "preact/hooks";

/** The look that was chosen; `auto` follows the system. */
export type Theme = "auto" | "light" | "dark";

const KEY = "toolwire-theme";
const listeners = new Set<() => void>();
const system = globalThis.matchMedia("(prefers-color-scheme: dark)");
system.addEventListener("change", () => tell());

/** Applies the look that was chosen before. */
export function restoreTheme(): void {
  apply(readTheme());
}

/** The look that was chosen. */
export function readTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "auto";
}

/** Chooses a look, and remembers it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  apply(theme);
  tell();
}

/** A number that changes with the look, for what draws its own colours. */
export function useThemeTurn(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const listener = (): void => setTurn((before) => before + 1);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return turn;
}

function apply(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function tell(): void {
  for (const listener of listeners) listener();
}
