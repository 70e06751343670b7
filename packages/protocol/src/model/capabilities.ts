import type { JsonObject } from "./json.ts";

/** Settings by extension id, such as `io.modelcontextprotocol/ui`; `{}` means supported without settings. */
export interface Extensions {
  readonly [id: string]: JsonObject | undefined;
}

/** The capabilities of a client. What is absent is not supported. Others may add members of their own. */
export interface ClientCapabilities {
  /** The user can be asked: `form` and `url` name the modes, and `{}` means forms only (since 2025-06-18). */
  elicitation?: { form?: JsonObject | undefined; url?: JsonObject | undefined } | undefined;
  /** The model can be asked. `tools`: it can use tools; `context`: it can include context of servers. */
  sampling?: { tools?: JsonObject | undefined; context?: JsonObject | undefined } | undefined;
  /** The roots can be listed; `listChanged` announces changes (2025-11-25 and earlier). */
  roots?: { listChanged?: boolean | undefined } | undefined;
  /** Since 2026-07-28; older peers that know an extension read it here too. */
  extensions?: Extensions | undefined;
  /** Experimental capabilities, which no specification describes. */
  experimental?: Extensions | undefined;
}

/** The capabilities of a server. What is absent is not supported. Others may add members of their own. */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  /** `subscribe`: clients can subscribe to single resources. */
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  /** Arguments can be completed (since 2025-03-26). */
  completions?: JsonObject | undefined;
  /** Clients can request log messages. Deprecated since 2026-07-28, but still supported. */
  logging?: JsonObject | undefined;
  /** Since 2026-07-28; older peers that know an extension read it here too. */
  extensions?: Extensions | undefined;
  /** Experimental capabilities, which no specification describes. */
  experimental?: Extensions | undefined;
}
