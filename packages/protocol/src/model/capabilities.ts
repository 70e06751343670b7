import type { JsonObject } from "./json.ts";

/** Settings by extension id, such as `io.modelcontextprotocol/ui`; `{}` means supported without settings. */
export interface Extensions {
  readonly [id: string]: JsonObject | undefined;
}

/** What a client can do. What is absent, it cannot. The set is open: others may add their own members. */
export interface ClientCapabilities {
  /** The user can be asked: `form` and `url` name the modes, and `{}` means forms only (since 2025-06-18). */
  elicitation?: { form?: JsonObject | undefined; url?: JsonObject | undefined } | undefined;
  /** The model can be asked, with `tools` in hand or other servers' `context` added. */
  sampling?: { tools?: JsonObject | undefined; context?: JsonObject | undefined } | undefined;
  /** The roots can be listed; `listChanged` announces changes (2025-11-25 and earlier). */
  roots?: { listChanged?: boolean | undefined } | undefined;
  /** Since 2026-07-28; older peers that know an extension read it here too. */
  extensions?: Extensions | undefined;
  /** What no specification describes. */
  experimental?: Extensions | undefined;
}

/** What a server can do. What is absent, it cannot. The set is open: others may add their own members. */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  /** `subscribe`: single resources can be watched. */
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  /** Arguments can be completed (since 2025-03-26). */
  completions?: JsonObject | undefined;
  /** Log messages can be had. Deprecated since 2026-07-28, and still served. */
  logging?: JsonObject | undefined;
  /** Since 2026-07-28; older peers that know an extension read it here too. */
  extensions?: Extensions | undefined;
  /** What no specification describes. */
  experimental?: Extensions | undefined;
}
