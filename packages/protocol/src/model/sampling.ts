import type { Role, SamplingContentBlock } from "./content.ts";
import type { Meta } from "./meta.ts";
import type { RequestParams, Result } from "./result.ts";
import type { Tool } from "./tools.ts";

/** One turn of the conversation that the model continues. */
export interface SamplingMessage {
  role: Role;
  /** An array since 2025-11-25. */
  content: SamplingContentBlock | readonly SamplingContentBlock[];
  /** Since 2025-11-25. */
  _meta?: Meta | undefined;
}

/** A wish for a model; the client decides. */
export interface ModelHint {
  /** Matches models whose name contains it. */
  name?: string | undefined;
}

/** What matters in the choice of a model, each from 0 to 1. */
export interface ModelPreferences {
  /** Tried in this order. */
  hints?: readonly ModelHint[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/** Whether the model may, must or must not use the tools. */
export interface ToolChoice {
  /** `auto` unless stated. */
  mode?: "auto" | "required" | "none" | undefined;
}

/** What to ask the client's model. Deprecated since 2026-07-28, and still served. */
export interface CreateMessageParams extends RequestParams {
  messages: readonly SamplingMessage[];
  maxTokens: number;
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  /** Anything but `none` is deprecated, and needs the client's `sampling.context`. */
  includeContext?: "none" | "thisServer" | "allServers" | undefined;
  temperature?: number | undefined;
  stopSequences?: readonly string[] | undefined;
  /** For the model's provider, passed on as is. */
  metadata?: { readonly [key: string]: unknown } | undefined;
  /** Needs the client's `sampling.tools` (since 2025-11-25). */
  tools?: readonly Tool[] | undefined;
  /** Since 2025-11-25. */
  toolChoice?: ToolChoice | undefined;
}

/** Why the model stopped. */
export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

/** What the model said. */
export interface CreateMessageResult extends Result {
  role: Role;
  /** An array since 2025-11-25. */
  content: SamplingContentBlock | readonly SamplingContentBlock[];
  /** The model that answered. */
  model: string;
  stopReason?: StopReason | undefined;
}
