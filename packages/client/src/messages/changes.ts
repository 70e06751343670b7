import { isObject } from "@toolwire/protocol/internal";
import type { JsonValue, NotificationMessage, SubscriptionFilter } from "@toolwire/protocol";

/** Which changes to subscribe to. */
export interface ChangeFilter {
  /** Changes of the list of tools. */
  readonly tools?: boolean | undefined;
  /** Changes of the list of prompts. */
  readonly prompts?: boolean | undefined;
  /** Changes of the list of resources. */
  readonly resources?: boolean | undefined;
  /** Changes of these resources. */
  readonly uris?: readonly string[] | undefined;
}

/** The changes that a server agreed to announce. */
export interface AcceptedFilter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: readonly string[];
}

/** A filter with the topics of extensions, by the member of the filter of `subscriptions/listen`. */
export interface WatchedFilter extends ChangeFilter {
  readonly topics?: { readonly [member: string]: JsonValue } | undefined;
}

/** The changes that a server agreed to announce, and what it said about the topics of extensions. */
export interface AcceptedTopics extends AcceptedFilter {
  readonly topics?: { readonly [member: string]: unknown } | undefined;
}

/** A change of a list, or of a single resource. */
export type Change =
  | {
      readonly kind: "tools" | "prompts" | "resources";
      /** The connection was lost for a while: changes in that time were not announced, so look again. */
      readonly resumed?: true;
    }
  | { readonly kind: "resource"; readonly uri: string; readonly resumed?: true };

/** Whether it is a filter. A string in place of an array of URIs would be read as an array of characters. */
export function isFilter(given: unknown): given is ChangeFilter {
  if (!isObject(given)) return false;
  const { uris = [] } = given;
  return Array.isArray(uris) && uris.every((uri) => typeof uri === "string");
}

/** The agreement of a server that announces nothing. */
export const NOTHING_ACCEPTED: AcceptedFilter = { tools: false, prompts: false, resources: false, uris: [] };

/** Translates a filter to parameters of `subscriptions/listen`. */
export function toWire({ tools, prompts, resources, uris, topics }: WatchedFilter): SubscriptionFilter {
  return {
    ...topics,
    ...(tools === true && { toolsListChanged: true }),
    ...(prompts === true && { promptsListChanged: true }),
    ...(resources === true && { resourcesListChanged: true }),
    ...(uris !== undefined && uris.length > 0 && { resourceSubscriptions: uris }),
  };
}

/** Reads an acknowledgement, as far as it was asked for. */
export function fromWire(acknowledged: unknown, asked: WatchedFilter): AcceptedTopics {
  if (!isObject(acknowledged)) return NOTHING_ACCEPTED;
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = acknowledged;
  const topics = Object.keys(asked.topics ?? {}).filter((member) => Object.hasOwn(acknowledged, member));
  const uris = new Set<unknown>(Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []);
  return {
    tools: asked.tools === true && toolsListChanged === true,
    prompts: asked.prompts === true && promptsListChanged === true,
    resources: asked.resources === true && resourcesListChanged === true,
    uris: asked.uris?.filter((uri) => uris.has(uri)) ?? [],
    ...(topics.length > 0 && { topics: Object.fromEntries(topics.map((member) => [member, acknowledged[member]])) }),
  };
}

/** Reads the change that a notification announces; `undefined` if it announces none. */
export function toChange({ method, params }: NotificationMessage): Change | undefined {
  switch (method) {
    case "notifications/tools/list_changed":
      return { kind: "tools" };
    case "notifications/prompts/list_changed":
      return { kind: "prompts" };
    case "notifications/resources/list_changed":
      return { kind: "resources" };
    case "notifications/resources/updated": {
      const uri = isObject(params) ? params["uri"] : undefined;
      return typeof uri === "string" ? { kind: "resource", uri } : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether a change was agreed on. A resource is covered by its own URI and by URIs above it. */
export function covers(accepted: AcceptedFilter, change: Change): boolean {
  if (change.kind !== "resource") return accepted[change.kind];
  return accepted.uris.some((uri) => change.uri === uri || change.uri.startsWith(uri.endsWith("/") ? uri : `${uri}/`));
}

/** Lists everything that may have changed while the server could not be heard. */
export function changesMissed({ tools, prompts, resources, uris }: AcceptedFilter): Change[] {
  const lists = Object.entries({ tools, prompts, resources }) as ["tools" | "prompts" | "resources", boolean][];
  return [
    ...lists.filter(([, isCovered]) => isCovered).map(([kind]): Change => ({ kind, resumed: true })),
    ...uris.map((uri): Change => ({ kind: "resource", uri, resumed: true })),
  ];
}
