import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { view, type ViewDefinition, type ViewOptions } from "../view.ts";

/** The options of {@link viewFile}: those of `view()`, but for the document itself. */
export type ViewFileOptions = Omit<ViewOptions, "html">;

/**
 * Defines a view whose document is in a file: written by hand, or made of many by `@toolwire/views/vite`. The file is read whenever a host
 * asks for the view, so that a change needs no restart.
 *
 * @example
 * ```ts
 * const chart = viewFile(new URL("views/chart.html", import.meta.url), { prefersBorder: true });
 * ```
 */
export function viewFile(file: string | URL, options: ViewFileOptions = {}): ViewDefinition {
  const path = typeof file === "string" ? resolve(file) : fileURLToPath(file);
  const html = (): Promise<string> => readFile(path, "utf8");
  return { ...view({ ...options, html }), file: path };
}
