import type { NotificationParams, RequestParams, Result } from "./result.ts";

/** What all fields of a form have in common. */
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

/** What to ask the user (since 2025-06-18). */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

/** What a form field can hold. */
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
