import type { Tool } from "@toolwire/protocol";
import type { ViewCsp, ViewPermissions } from "@toolwire/protocol/views";
import type { StyleVariable } from "./style-variables.ts";

/** How a view is shown: in the flow of the host, over all of the window, or floating. */
export type DisplayMode = "inline" | "fullscreen" | "pip";

/** What a host tells a view about itself and its surroundings. */
export interface HostContext {
  /** The tool whose result is shown, and the id of its call. */
  readonly toolInfo?: { readonly id?: string | number | undefined; readonly tool: Tool } | undefined;
  readonly theme?: "light" | "dark" | undefined;
  readonly styles?: HostStyles | undefined;
  readonly displayMode?: DisplayMode | undefined;
  /** The modes that the host supports. */
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
  readonly containerDimensions?: ContainerDimensions | undefined;
  /** As BCP 47 has it: `en-GB`. */
  readonly locale?: string | undefined;
  /** As IANA has it: `Europe/Oslo`. */
  readonly timeZone?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly platform?: "web" | "desktop" | "mobile" | undefined;
  readonly deviceCapabilities?:
    | { readonly touch?: boolean | undefined; readonly hover?: boolean | undefined }
    | undefined;
  readonly safeAreaInsets?:
    | { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }
    | undefined;
  readonly [other: string]: unknown;
}

/** Space for a view, in pixels: fixed in a direction (`height`), or up to a limit that may be missing (`maxHeight`). */
export interface ContainerDimensions {
  readonly height?: number | undefined;
  readonly maxHeight?: number | undefined;
  readonly width?: number | undefined;
  readonly maxWidth?: number | undefined;
}

/** The look of a host. */
export interface HostStyles {
  /** Values of CSS variables. Those with `light-dark()` fit both themes. */
  readonly variables?: { readonly [Name in StyleVariable]?: string | undefined } | undefined;
  readonly css?: { readonly fonts?: string | undefined } | undefined;
}

/** What a host can do for a view. */
export interface HostCapabilities {
  readonly experimental?: object | undefined;
  readonly openLinks?: object | undefined;
  readonly serverTools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly serverResources?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly logging?: object | undefined;
  /** What the view was granted. */
  readonly sandbox?:
    | { readonly permissions?: ViewPermissions | undefined; readonly csp?: ViewCsp | undefined }
    | undefined;
  readonly [other: string]: unknown;
}

/** The member of {@link HostContext}, and of the answer of a view to its end, that keeps state while a view is replaced. */
export const KEPT_STATE = "toolwire/keptState";
