import { parseUriTemplate, type UriTemplate } from "@toolwire/protocol/uri-template";
import type { Listing } from "../catalog/listing.ts";

/** How many templates of an upstream are tried for a URI that it does not list. */
const MAX_TEMPLATES = 1000;

interface Searched {
  readonly listed: ReadonlySet<string>;
  readonly templates: readonly UriTemplate[];
}

/**
 * The URIs of an upstream's resources, and those under which they are offered. With a prefix, it is put in front of the
 * scheme: `files+file:///notes.txt`. Without one, they are the same.
 */
export class ResourceUris {
  readonly #front: string;
  /** The listed resources, indexed for lookups. */
  readonly #searched = new WeakMap<Listing, Searched>();

  constructor(prefix: string | undefined) {
    this.#front = prefix === undefined || prefix === "" ? "" : `${toScheme(prefix)}+`;
  }

  /** The URI, or the URI template, under which one of the upstream's is offered. */
  outward(uri: string): string {
    return this.#front + uri;
  }

  /** The upstream's own URI, if it lists it, or otherwise if the URI can be one of its resources. */
  inward(uri: string, how: "listed" | "other", listing: Listing): string | undefined {
    if (!uri.startsWith(this.#front)) return undefined;
    const own = uri.slice(this.#front.length);
    const { listed, templates } = this.#search(listing);
    if (how === "listed") return listed.has(own) ? own : undefined;
    // Results of tools may link to resources that are not listed. The prefix says whose they are.
    if (this.#front !== "") return own;
    return templates.some((template) => template.match(own) !== undefined) ? own : undefined;
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
    const searched = { listed: new Set(listing.resources.map(({ uri }) => uri)), templates };
    this.#searched.set(listing, searched);
    return searched;
  }
}

/** A prefix as the first part of a scheme, which has fewer characters than a name (RFC 3986, section 3.1). */
function toScheme(prefix: string): string {
  const scheme = prefix.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, "-");
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`;
}
