import { ErrorCode, UsageError } from "../errors.ts";
import type { ContentBlock, SamplingContentBlock } from "../model/content.ts";
import {
  ALWAYS,
  covers,
  eraOf,
  type Lifespan,
  type Revision,
  SINCE_2025_03,
  SINCE_2025_06,
  SINCE_2025_11,
  SINCE_2026_07,
} from "./revision.ts";

/** A feature that not all revisions have. */
export type Feature =
  /** Several messages in one JSON array. */
  | "batches"
  /** Errors may have no id, so that messages without a readable id can be answered. */
  | "errorsWithoutId"
  /** Servers may ask the user, by form. */
  | "elicitation"
  /** Servers may send the user to a page. */
  | "urlElicitation"
  /** Forms have defaults, choices with titles, and several choices at once. */
  | "richForms"
  /** Models may use tools, and a message may have several blocks, in sampling. */
  | "samplingTools"
  /** Tools may answer with an object as well as with text. */
  | "structuredContent"
  /** Tools may answer with any JSON value, and describe it with any schema. */
  | "anyStructuredContent"
  /** HTTP requests repeat the revision in a header. */
  | "versionHeader";

const FEATURES: { readonly [F in Feature]: Lifespan } = {
  batches: { since: "2025-03-26", until: "2025-03-26" },
  errorsWithoutId: SINCE_2025_11,
  elicitation: SINCE_2025_06,
  urlElicitation: SINCE_2025_11,
  richForms: SINCE_2025_11,
  samplingTools: SINCE_2025_11,
  structuredContent: SINCE_2025_06,
  anyStructuredContent: SINCE_2026_07,
  versionHeader: SINCE_2025_06,
};

/** Whether a revision has a feature. */
export function hasFeature(revision: Revision, feature: Feature): boolean {
  return covers(FEATURES[feature], revision);
}

/** The error for a request that the revision of the client cannot express. */
export function unsupported(revision: Revision, what: string): UsageError {
  return new UsageError(
    "UNSUPPORTED",
    `The client speaks ${revision}, in which it cannot ${what}. Do without it there.`,
  );
}

/** The place of content: `message` in tool results and prompts, `sampling` in messages to and from a model. */
export type ContentPlace = "message" | "sampling";

const CONTENT: {
  readonly message: { readonly [K in ContentBlock["type"]]: Lifespan };
  readonly sampling: { readonly [K in SamplingContentBlock["type"]]: Lifespan };
} = {
  message: {
    text: ALWAYS,
    image: ALWAYS,
    audio: SINCE_2025_03,
    resource: ALWAYS,
    resource_link: SINCE_2025_06,
  },
  sampling: {
    text: ALWAYS,
    image: ALWAYS,
    audio: SINCE_2025_03,
    tool_use: SINCE_2025_11,
    tool_result: SINCE_2025_11,
  },
};

/** Whether a revision has this kind of content block in this place. */
export function allowsContent(revision: Revision, kind: string, place: ContentPlace): boolean {
  const kinds: { readonly [kind: string]: Lifespan } = CONTENT[place];
  return Object.hasOwn(kinds, kind) && covers(kinds[kind] ?? ALWAYS, revision);
}

/** A failure that revisions number differently. */
export type RevisedError = "resourceNotFound" | "urlElicitationRequired";

/** The number of a failure in a revision; `undefined` if the revision has no number for it. */
export function errorCodeFor(revision: Revision, kind: "resourceNotFound"): number;
export function errorCodeFor(revision: Revision, kind: RevisedError): number | undefined;
export function errorCodeFor(revision: Revision, kind: RevisedError): number | undefined {
  if (kind === "resourceNotFound") {
    return eraOf(revision) === "modern" ? ErrorCode.InvalidParams : ErrorCode.ResourceNotFound;
  }
  return revision === "2025-11-25" ? ErrorCode.UrlElicitationRequired : undefined;
}
