import { FLAT_VIEW_META, VIEW_META, VIEW_SCHEME } from "./names.ts";
import { isContentSource } from "./source.ts";

/** The origins that a view may reach besides itself. Nothing is allowed that is not named. */
export interface ViewCsp {
  /** Where scripts may send requests to: `fetch`, WebSockets. */
  readonly connectDomains?: readonly string[] | undefined;
  /** Where scripts, styles, images, fonts and media may come from. */
  readonly resourceDomains?: readonly string[] | undefined;
  /** What nested frames may show. */
  readonly frameDomains?: readonly string[] | undefined;
  /** What `<base>` may name. */
  readonly baseUriDomains?: readonly string[] | undefined;
}

/** Abilities of the browser that a view asks for. Hosts may refuse each. */
export interface ViewPermissions {
  readonly camera?: object | undefined;
  readonly microphone?: object | undefined;
  readonly geolocation?: object | undefined;
  readonly clipboardWrite?: object | undefined;
}

/** What the contents of a view say about it, as `_meta.ui`. */
export interface ViewMeta {
  readonly csp?: ViewCsp | undefined;
  readonly permissions?: ViewPermissions | undefined;
  /** The origin that the view wants for itself, in the form that the host demands. */
  readonly domain?: string | undefined;
  /** Whether the host draws a border and a background. */
  readonly prefersBorder?: boolean | undefined;
}

/** Who may see and call a tool: the model, or views of the same server. */
export type ToolAudience = "model" | "app";

/** What a tool says about its view, as `_meta.ui`. */
export interface ToolViewMeta {
  /** The URI of the view that shows results of the tool. */
  readonly resourceUri?: string | undefined;
  /** Default: both. */
  readonly visibility?: readonly ToolAudience[] | undefined;
}

/** The members of {@link ViewCsp}. */
export const CSP_MEMBERS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;

/** The members of {@link ViewPermissions}. */
export const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

/** A list of origins that is longer is cut. */
const MAX_SOURCES = 50;

/** What a view says about itself, after everything malformed was left out. */
export interface ReadViewMeta {
  readonly meta: ViewMeta;
  /** Origins that were left out, because no content policy should contain them, each as JSON, shortened. */
  readonly refused: readonly string[];
}

/** Reads the `_meta` of the contents of a view. It is untrusted: only what is well-formed remains, and the policy gets no looser. */
export function readViewMeta(meta: unknown): ReadViewMeta {
  const ui = memberOf(meta, VIEW_META);
  const refused: string[] = [];
  const csp = readCsp(memberOf(ui, "csp"), refused);
  const permissions = readPermissions(memberOf(ui, "permissions"));
  const domain = memberOf(ui, "domain");
  const prefersBorder = memberOf(ui, "prefersBorder");
  return {
    meta: {
      ...(csp && { csp }),
      ...(permissions && { permissions }),
      ...(typeof domain === "string" && domain.length <= 300 && { domain }),
      ...(typeof prefersBorder === "boolean" && { prefersBorder }),
    },
    refused,
  };
}

/** Reads the `_meta` of a tool. A malformed `visibility` means nobody, since it was meant to hide the tool from somebody. */
export function readToolViewMeta(meta: unknown): {
  readonly resourceUri: string | undefined;
  readonly visibility: readonly ToolAudience[];
} {
  const ui = memberOf(meta, VIEW_META);
  const uri = memberOf(ui, "resourceUri") ?? memberOf(meta, FLAT_VIEW_META);
  const visibility = memberOf(ui, "visibility");
  return {
    resourceUri: isViewUri(uri) ? uri : undefined,
    visibility: visibility === undefined ? ["model", "app"] : readAudience(visibility),
  };
}

/** Whether a URI is that of a view. */
export function isViewUri(uri: unknown): uri is string {
  return (
    typeof uri === "string" && uri.startsWith(VIEW_SCHEME) && uri.length > VIEW_SCHEME.length && uri.length <= 2000
  );
}

function readAudience(value: unknown): readonly ToolAudience[] {
  if (!Array.isArray(value)) return [];
  return (["model", "app"] as const).filter((each) => value.includes(each));
}

function readCsp(value: unknown, refused: string[]): ViewCsp | undefined {
  if (!isObject(value)) return undefined;
  const csp: { -readonly [member in keyof ViewCsp]: readonly string[] } = {};
  for (const member of CSP_MEMBERS) {
    const listed = memberOf(value, member);
    if (!Array.isArray(listed)) continue;
    const sources = listed.slice(0, MAX_SOURCES);
    csp[member] = sources.filter(isContentSource);
    for (const each of sources) if (!isContentSource(each)) refused.push(quote(each));
  }
  return csp;
}

function readPermissions(value: unknown): ViewPermissions | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(PERMISSIONS.filter((each) => isObject(memberOf(value, each))).map((each) => [each, {}]));
}

function quote(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 100);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of the object itself: an inherited one was not sent. */
function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? (value as { readonly [key: string]: unknown })[key] : undefined;
}
