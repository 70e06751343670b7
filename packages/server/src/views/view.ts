import { CSP_MEMBERS, isContentSource, PERMISSIONS, type ViewCsp, type ViewMeta } from "@toolwire/protocol/views";
import { UsageError } from "@toolwire/protocol";
import { expectKnownNames, type OptionNames } from "@toolwire/protocol/internal";
import type { Awaitable } from "../define/tool.ts";

/** The options of {@link view}. */
export interface ViewOptions {
  /** The document, which brings its scripts and styles along, or a function that makes it each time it is read. */
  readonly html: string | (() => Awaitable<string>);
  /** Default: `ui://views/` and the name of the first tool that has the view. */
  readonly uri?: string | undefined;
  /** The name to show to people. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The origins that the view may reach. Default: none at all. */
  readonly csp?: ViewCsp | undefined;
  /** Abilities of the browser that the view asks for. The host may refuse each, so look whether it is there. Default: none. */
  readonly permissions?: readonly (typeof PERMISSIONS)[number][] | undefined;
  /** Whether the host draws a border and a background. Default: as the host likes. */
  readonly prefersBorder?: boolean | undefined;
  /** The origin that the view wants for itself, in the form that the host demands. */
  readonly domain?: string | undefined;
}

/** A view, made by {@link view}. Give it to tools: `tool({ view, … })`. */
export interface ViewDefinition extends ViewOptions {
  /** The file that the view is read from, if it is. */
  readonly file?: string | undefined;
}

const OPTIONS: OptionNames<ViewDefinition> = {
  html: true,
  uri: true,
  title: true,
  description: true,
  csp: true,
  permissions: true,
  prefersBorder: true,
  domain: true,
  file: true,
};

/**
 * Defines a view: an HTML document that hosts show with the results of tools. Nothing is allowed to it that it does not declare.
 *
 * @example
 * ```ts
 * const chart = view({ html: "<!doctype html><p id=sum></p><script type=module>…</script>", prefersBorder: true });
 * const sales = tool({ description: "Sales by month", output: Sales, view: chart, run: () => readSales() });
 * ```
 */
export function view(options: ViewOptions): ViewDefinition {
  expectKnownNames("view()", options, OPTIONS);
  const { html, uri, csp = {}, permissions = [] } = options;
  if (typeof html === "string") expectDocument(html);
  else if (typeof html !== "function") {
    throw invalid("`html` of a view is its document, or a function that returns it. For a file, use `viewFile()`.");
  }
  if (uri !== undefined && !VIEW_URI.test(uri)) {
    throw invalid(`${JSON.stringify(uri)} cannot be the URI of a view: use one such as "ui://sales/chart".`);
  }
  expectKnownNames("`csp` of a view", csp, CSP_NAMES);
  for (const member of CSP_MEMBERS) {
    const wrong: unknown = csp[member]?.find((source: unknown) => !isContentSource(source));
    if (wrong === undefined) continue;
    throw invalid(
      `csp.${member} of a view contains ${JSON.stringify(wrong)}. It lists origins: "https://api.example.com", ` +
        '"https://*.example.com", "wss://live.example.com", and in development "http://localhost:5173".',
    );
  }
  const unknown = permissions.find((permission) => !PERMISSIONS.includes(permission));
  if (unknown !== undefined) {
    throw invalid(`\`permissions\` of a view has ${JSON.stringify(unknown)}; there are ${PERMISSIONS.join(", ")}.`);
  }
  return options;
}

/** One way to write each: nothing is percent-encoded. */
const VIEW_URI = /^ui:\/\/[\w.~/-]{1,500}$/;

const CSP_NAMES = Object.fromEntries(CSP_MEMBERS.map((member) => [member, true])) as OptionNames<ViewCsp>;

/** What the contents of a view say about it; `undefined` if there is nothing to say. */
export function metaOf({ csp, permissions, domain, prefersBorder }: ViewDefinition): ViewMeta | undefined {
  const meta: ViewMeta = {
    ...(csp && { csp }),
    ...(permissions && { permissions: Object.fromEntries(permissions.map((each) => [each, {}])) }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** Reads the document of a view. */
export async function readDocument({ html }: ViewDefinition): Promise<string> {
  const text = typeof html === "string" ? html : await html();
  expectDocument(text);
  return text;
}

/** Refuses fragments: hosts show documents ("Content Requirements"). Comments may come first. */
function expectDocument(html: unknown): void {
  let rest = typeof html === "string" ? html.trimStart() : "";
  for (let end = 0; end !== -1 && rest.startsWith("<!--"); rest = rest.slice(end + 3).trimStart()) {
    end = rest.indexOf("-->");
  }
  if (/^<!doctype html\b/i.test(rest)) return;
  throw invalid('The document of a view is text that begins with "<!doctype html>".');
}

function invalid(message: string): UsageError {
  return new UsageError("INVALID_DEFINITION", message);
}
