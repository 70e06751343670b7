/** Input that servers ask of clients: elicitation, sampling and roots, and the result that asks for it. */

import type { Meta, NotificationParams, RequestParams, Result, ResultMeta } from "./basic.ts";
import type { Role, SamplingContentBlock } from "./content.ts";
import type { Tool } from "./tools.ts";

/** The members that all fields of a form have in common. */
export interface FormFieldBase {
  title?: string | undefined;
  description?: string | undefined;
}

/** A line of text. */
export interface StringField extends FormFieldBase {
  type: "string";
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: "email" | "uri" | "date" | "date-time" | undefined;
  /** Since 2025-11-25. */
  default?: string | undefined;
}

/** A number. */
export interface NumberField extends FormFieldBase {
  type: "number" | "integer";
  minimum?: number | undefined;
  maximum?: number | undefined;
  /** Since 2025-11-25. */
  default?: number | undefined;
}

/** A yes or no. */
export interface BooleanField extends FormFieldBase {
  type: "boolean";
  default?: boolean | undefined;
}

/**
 * One of several values. `enumNames` has the labels to show for them: the older form, which all revisions understand.
 */
export interface EnumField extends FormFieldBase {
  type: "string";
  enum: readonly string[];
  enumNames?: readonly string[] | undefined;
  /** Since 2025-11-25. */
  default?: string | undefined;
}

/** A value and its label. */
export interface TitledChoice {
  const: string;
  title: string;
}

/** One of several values, each with a label (since 2025-11-25; `enumNames` for older clients). */
export interface TitledEnumField extends FormFieldBase {
  type: "string";
  oneOf: readonly TitledChoice[];
  default?: string | undefined;
}

/** Any of several values (since 2025-11-25; a line of text for older clients). */
export interface MultiSelectField extends FormFieldBase {
  type: "array";
  items: { type: "string"; enum: readonly string[] } | { anyOf: readonly TitledChoice[] };
  minItems?: number | undefined;
  maxItems?: number | undefined;
  default?: readonly string[] | undefined;
}

/** One field of a form. */
export type FormField = StringField | NumberField | BooleanField | EnumField | TitledEnumField | MultiSelectField;

/** A form: a flat object of simple fields. */
export interface FormSchema {
  $schema?: string | undefined;
  type: "object";
  properties: { readonly [field: string]: FormField };
  required?: readonly string[] | undefined;
}

/** Asks the user to fill in a form. Never for passwords and other secrets: use {@link ElicitUrlParams}. */
export interface ElicitFormParams extends RequestParams {
  mode?: "form" | undefined;
  /** Tells the user what is asked, and why. */
  message: string;
  requestedSchema: FormSchema;
}

/** Asks the user to visit a page. The client does not see what they enter there (since 2025-11-25). */
export interface ElicitUrlParams extends RequestParams {
  mode: "url";
  message: string;
  url: string;
  /** Identifies the visit in `notifications/elicitation/complete`. Required in 2025-11-25, removed since. */
  elicitationId?: string | undefined;
}

/** A question to the user (since 2025-06-18). */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

/** The value of a form field. */
export type FormValue = string | number | boolean | readonly string[];

/** The user's answer. */
export interface ElicitResult extends Result {
  /** `accept`: filled in or agreed; `decline`: refused; `cancel`: dismissed without a choice. */
  action: "accept" | "decline" | "cancel";
  /** The filled-in form, if accepted. */
  content?: { readonly [field: string]: FormValue } | undefined;
}

/** Says that the user is done with a page (2025-11-25 only). */
export interface ElicitationCompleteParams extends NotificationParams {
  elicitationId: string;
}

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

/** A directory or file of the client that the server may work in. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** All roots of a client. Deprecated since 2026-07-28, but still supported. */
export interface ListRootsResult extends Result {
  roots: readonly Root[];
}

/** A question that a server asks before it can answer. */
export type InputRequest =
  | { method: "elicitation/create"; params: ElicitParams }
  | { method: "sampling/createMessage"; params: CreateMessageParams }
  | { method: "roots/list"; params?: RequestParams | undefined };

/** The questions, by keys that the server chooses. */
export interface InputRequests {
  readonly [key: string]: InputRequest;
}

/** The answer to an {@link InputRequest}. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** The answers, by the keys of the questions. */
export interface InputResponses {
  readonly [key: string]: InputResponse;
}

/**
 * An interim result (2026-07-28): the client answers the questions and sends the same request again, with the answers.
 * At least one of `inputRequests` and `requestState` is present.
 */
export interface InputRequiredResult {
  resultType: "input_required";
  inputRequests?: InputRequests | undefined;
  /** The server's own state. The client returns it unchanged; the server trusts it only if it is sealed. */
  requestState?: string | undefined;
  _meta?: ResultMeta | undefined;
}

/** The parameters of requests that may be answered with {@link InputRequiredResult}, and are then sent again. */
export interface RetryParams extends RequestParams {
  inputResponses?: InputResponses | undefined;
  /** The state that the server sent, unchanged. */
  requestState?: string | undefined;
}
