import type { Plugin } from "vite";

/**
 * A Vite plugin that makes a view one HTML file, with its scripts, styles and images inside: sandboxed views cannot load files of their
 * own. Each build has one view as its input; {@link buildViews} runs several.
 *
 * @example
 * ```ts
 * // vite.config.ts
 * export default defineConfig({ plugins: [inlineView()], build: { rolldownOptions: { input: "chart.html" } } });
 * ```
 */
export function inlineView(): Plugin {
  return {
    name: "toolwire:inline-view",
    apply: "build",
    enforce: "post",
    config: () => ({
      build: {
        // Images and fonts become `data:` URLs, whatever their size.
        assetsInlineLimit: () => true,
        cssCodeSplit: false,
        modulePreload: false,
        // Browsers that know `light-dark()`, which the variables of hosts contain. Lowered, it would not follow their theme.
        cssTarget: ["chrome123", "firefox121", "safari17.5"],
        rolldownOptions: { output: { codeSplitting: false } },
      },
    }),
    generateBundle(_options, bundle) {
      const texts = new Map<string, string>();
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === "chunk") texts.set(name, output.code);
        else if (name.endsWith(".css")) texts.set(name, textOf(output.source));
      }
      const pages = Object.values(bundle).filter((output) => output.fileName.endsWith(".html"));
      for (const page of pages) {
        if (page.type === "asset") page.source = inlineFiles(textOf(page.source), texts);
      }
      for (const name of texts.keys()) Reflect.deleteProperty(bundle, name);
      const left = Object.keys(bundle).filter((name) => !name.endsWith(".html"));
      if (left.length > 0) {
        this.error(
          `A view is one file, but these are left: ${left.join(", ")}. Import them, so that Vite inlines them.`,
        );
      }
    },
  };
}

/** Matches what Vite writes for the entry of a page and its styles. */
const SCRIPT = /<script\b[^>]*?\bsrc="([^"]+)"[^>]*><\/script>/g;
const STYLESHEET = /<link\b[^>]*?\brel="stylesheet"[^>]*?\bhref="([^"]+)"[^>]*>/g;

/** Puts files into the page that refers to them. Scripts go to the end of the body: as modules, they run when the page is parsed. */
function inlineFiles(html: string, texts: ReadonlyMap<string, string>): string {
  const find = (url: string): string | undefined => [...texts].find(([name]) => url.endsWith(`/${name}`))?.[1];
  // A function, because `$` means something in the text of a replacement.
  return html
    .replaceAll(STYLESHEET, (tag, url: string) => {
      const css = find(url);
      return css === undefined ? tag : `<style>${css.replaceAll("</style", String.raw`<\/style`)}</style>`;
    })
    .replaceAll(SCRIPT, (tag, url: string) => {
      const code = find(url);
      if (code === undefined) return tag;
      const safe = code.replaceAll(/<(\/script|!--)/gi, String.raw`\x3c$1`);
      return `<script type="module">${safe}</script>`;
    });
}

function textOf(source: string | Uint8Array): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source);
}
