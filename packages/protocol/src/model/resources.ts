import type { CacheableResult, Icon, ListResult, Meta, NotificationParams, RequestParams } from "./basic.ts";
import type { Annotations, ResourceContents } from "./content.ts";
import type { RetryParams } from "./input.ts";

/** A resource as it is listed. */
export interface Resource {
  uri: string;
  name: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** The size in bytes, before any encoding. */
  size?: number | undefined;
  annotations?: Annotations | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** A family of resources whose URIs follow an RFC 6570 template. */
export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  description?: string | undefined;
  /** The type of all resources that match the template, if they have the same. */
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** A page of resources. */
export interface ListResourcesResult extends ListResult {
  resources: readonly Resource[];
}

/** A page of resource templates. */
export interface ListResourceTemplatesResult extends ListResult {
  resourceTemplates: readonly ResourceTemplate[];
}

/** Which resource to read. */
export interface ReadResourceParams extends RetryParams {
  uri: string;
}

/**
 * The contents of a resource. A directory may have several. An empty list means an empty resource, never "not found".
 */
export interface ReadResourceResult extends CacheableResult {
  contents: readonly ResourceContents[];
}

/** The resource to subscribe to, or to unsubscribe from (2025-11-25 and earlier). */
export interface SubscribeParams extends RequestParams {
  uri: string;
}

/** The resource that changed. It may be below the one that the client subscribed to. */
export interface ResourceUpdatedParams extends NotificationParams {
  uri: string;
}
