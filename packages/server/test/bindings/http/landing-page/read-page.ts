/** A page as tests see it. */
export interface ReadPage {
  readonly title: string;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** What can be copied, in the order of the page. */
  readonly snippets: readonly string[];
  /** The names of all elements. */
  readonly elements: ReadonlySet<string>;
}

/** Reads a page. All its markup is written in one way, so expressions are enough. */
export function readPage(html: string): ReadPage {
  const all = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, text = ""]) => unescapeHtml(text));
  return {
    title: all(/<h1>(?:<bdi>)?([^<]*)/g).join(""),
    tools: all(/<dt><code><bdi>([^<]*)/g),
    snippets: all(/<pre><code>([^<]*)/g),
    elements: new Set(all(/<([a-z][a-z\d]*)/g)),
  };
}

/** Reads text as browsers do. */
export function unescapeHtml(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
