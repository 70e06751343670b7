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

/** A preferred model. The client decides. */
export interface ModelHint {
  /** Matches models whose name contains it. */
  name?: string | undefined;
}

/** Preferences for the choice of a model. Priorities are from 0 to 1. */
export interface ModelPreferences {
  /** Tried in this order. */
  hints?: readonly ModelHint[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/** Whether the model may, must or must not use the tools. */
export interface ToolChoice {
  /** Default: `auto`. */
  mode?: "auto" | "required" | "none" | undefined;
}

/** A request to the client's model. Deprecated since 2026-07-28, but still supported. */
export interface CreateMessageParams extends RequestParams {
  messages: readonly SamplingMessage[];
  maxTokens: number;
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  /** Anything but `none` is deprecated, and needs the client's `sampling.context`. */
  includeContext?: "none" | "thisServer" | "allServers" | undefined;
  temperature?: number | undefined;
  stopSequences?: readonly string[] | undefined;
  /** Passed on to the model's provider unchanged. */
  metadata?: { readonly [key: string]: unknown } | undefined;
  /** Needs the client's `sampling.tools` (since 2025-11-25). */
  tools?: readonly Tool[] | undefined;
  /** Since 2025-11-25. */
  toolChoice?: ToolChoice | undefined;
}

/** Why the model stopped. */
export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

/** The model's answer. */
export interface CreateMessageResult extends Result {
  role: Role;
  /** An array since 2025-11-25. */
  content: SamplingContentBlock | readonly SamplingContentBlock[];
  /** The model that answered. */
  model: string;
  stopReason?: StopReason | undefined;
}
