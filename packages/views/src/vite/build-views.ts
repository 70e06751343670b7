import { basename, dirname, join, resolve } from "node:path";
import { build, type InlineConfig, type PluginOption } from "vite";
import { inlineView } from "./inline-view.ts";

/** The options of {@link buildViews}. */
export interface BuildViewsOptions {
  /** The HTML files of the views. Each becomes a file of the same name, so none may be twice. */
  readonly views: readonly string[];
  /** The folder that the files are written to. */
  readonly outDir: string;
  /** Plugins of Vite, such as that of your framework. */
  readonly plugins?: readonly PluginOption[] | undefined;
  /** For development: whether views are built again whenever one of their files changes. Default false. */
  readonly watch?: boolean | undefined;
  /** Further settings of Vite. */
  readonly vite?: InlineConfig | undefined;
}

/** Views that were built, and may be watched. */
export interface BuiltViews {
  /** Stops to watch. */
  close(): Promise<void>;
}

/**
 * Makes views with Vite: each one HTML file with everything inside.
 *
 * @example
 * ```ts
 * await buildViews({ views: ["views/chart.html", "views/form.html"], outDir: "dist/views" });
 * ```
 */
export async function buildViews(options: BuildViewsOptions): Promise<BuiltViews> {
  const { views, outDir, plugins = [], watch = false, vite = {} } = options;
  const names = views.map((file) => basename(file));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`Two views are called ${twice}: give them different names.`);
  const watchers: { close(): Promise<void> }[] = [];
  // One after the other: each has a build of its own, since a file that two share would be a file of its own.
  for (const file of views) {
    const input = resolve(file);
    const result = await build({
      logLevel: "warn",
      configFile: false,
      ...vite,
      root: dirname(input),
      plugins: [...(vite.plugins ?? []), ...plugins, inlineView()],
      build: {
        ...vite.build,
        outDir: resolve(outDir),
        emptyOutDir: false,
        ...(watch && { watch: {} }),
        rolldownOptions: { ...vite.build?.rolldownOptions, input: join(dirname(input), basename(input)) },
      },
    });
    if ("close" in result) {
      watchers.push(result);
      await new Promise<void>((built, failed) => {
        result.on("event", (event) => {
          if (event.code === "END") built();
          else if (event.code === "ERROR") failed(event.error);
        });
      });
    }
  }
  return { close: async () => void (await Promise.all(watchers.map((watcher) => watcher.close()))) };
}
