import { parseUriTemplate, type UriTemplate } from "@toolwire/protocol/uri-template";
import { readToolViewMeta, VIEW_SCHEME } from "@toolwire/protocol/views";
import type { Listing } from "../catalog/listing.ts";

/** How many templates of an upstream are tried for a URI that it does not list. */
const MAX_TEMPLATES = 1000;

interface Searched {
  readonly listed: ReadonlySet<string>;
  readonly templates: readonly UriTemplate[];
}

/**
 * The URIs of an upstream's resources, and those under which they are offered. With a prefix, it is put in front of the
 * scheme: `files+file:///notes.txt`. Views keep their scheme, by which hosts know them: `ui://files/chart`. Without a prefix, they are
 * the same.
 */
export class ResourceUris {
  readonly #front: string;
  /** What the URIs of views begin with. */
  readonly #viewFront: string;
  /** The listed resources, indexed for lookups. */
  readonly #searched = new WeakMap<Listing, Searched>();

  constructor(prefix: string | undefined) {
    const scheme = prefix === undefined || prefix === "" ? undefined : toScheme(prefix);
    this.#front = scheme === undefined ? "" : `${scheme}+`;
    this.#viewFront = scheme === undefined ? VIEW_SCHEME : `${VIEW_SCHEME}${scheme}/`;
  }

  /** The URI, or the URI template, under which one of the upstream's is offered. */
  outward(uri: string): string {
    return uri.startsWith(VIEW_SCHEME) ? this.#viewFront + uri.slice(VIEW_SCHEME.length) : this.#front + uri;
  }

  /** The upstream's own URI, if it lists it, or otherwise if the URI can be one of its resources. */
  inward(uri: string, how: "listed" | "other", listing: Listing): string | undefined {
    const own = this.#own(uri);
    if (own === undefined) return undefined;
    const { listed, templates } = this.#search(listing);
    if (how === "listed") return listed.has(own) ? own : undefined;
    // Results of tools may link to resources that are not listed. The prefix says whose they are.
    if (this.#front !== "") return own;
    return templates.some((template) => template.match(own) !== undefined) ? own : undefined;
  }

  /** The upstream's own URI, if its prefix is there. */
  #own(uri: string): string | undefined {
    const front = uri.startsWith(VIEW_SCHEME) ? this.#viewFront : this.#front;
    if (!uri.startsWith(front)) return undefined;
    return front === this.#viewFront ? VIEW_SCHEME + uri.slice(front.length) : uri.slice(front.length);
  }

  #search(listing: Listing): Searched {
    const known = this.#searched.get(listing);
    if (known !== undefined) return known;
    const templates = listing.templates.slice(0, MAX_TEMPLATES).flatMap(({ uriTemplate }) => {
      try {
        return [parseUriTemplate(uriTemplate)];
      } catch {
        // It is not offered either.
        return [];
      }
    });
    const listed = new Set(listing.resources.map(({ uri }) => uri));
    // Views are found by their tools, so that servers need not list them ("Resource Discovery").
    for (const { _meta: meta } of listing.tools) {
      const { resourceUri } = readToolViewMeta(meta);
      if (resourceUri !== undefined) listed.add(resourceUri);
    }
    const searched = { listed, templates };
    this.#searched.set(listing, searched);
    return searched;
  }
}

/** A prefix as the first part of a scheme, which has fewer characters than a name (RFC 3986, section 3.1). */
function toScheme(prefix: string): string {
  const scheme = prefix.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, "-");
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`;
}
