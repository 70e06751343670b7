import type { CacheableResult } from "./cache.ts";
import type { Annotations, ResourceContents } from "./content.ts";
import type { Icon } from "./implementation.ts";
import type { RetryParams } from "./input-required.ts";
import type { Meta } from "./meta.ts";
import type { ListResult } from "./pagination.ts";
import type { NotificationParams, RequestParams } from "./result.ts";

/** Something a client can read, as it is listed. */
export interface Resource {
  uri: string;
  name: string;
  /** What people call it (since 2025-06-18). */
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** Bytes, before any encoding. */
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
  /** What people call it (since 2025-06-18). */
  title?: string | undefined;
  description?: string | undefined;
  /** Only if all members have the same. */
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

/** What is in the resource; a directory may answer with several. Empty means empty, never "not found". */
export interface ReadResourceResult extends CacheableResult {
  contents: readonly ResourceContents[];
}

/** Which resource to watch, or to stop watching (2025-11-25 and earlier). */
export interface SubscribeParams extends RequestParams {
  uri: string;
}

/** The resource that changed. It may lie below the one that was subscribed to. */
export interface ResourceUpdatedParams extends NotificationParams {
  uri: string;
}
