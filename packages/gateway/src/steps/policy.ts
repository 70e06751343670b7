import type { Principal, RequestCall } from "@toolwire/server";
import type { CallRecord } from "../log/call-record.ts";
import type { ToolRoute } from "../routes/tool-route.ts";

/** A tool as the steps know it. */
export interface PolicyTool {
  readonly route: ToolRoute;
  readonly isDraft: boolean;
  readonly limits: CallLimits;
}

/** Counts the calls of a server or a tool. */
export interface CallLimits {
  /**
   * Takes a place for a call of this caller. Returns `undefined`, or a text for the model that says why there is none.
   * A place that was taken is given back with `release`.
   */
  take(caller: string, now: number): string | undefined;
  /** The same for a caller whose calls are counted over all gateways of a cluster. */
  takeShared(caller: string, now: number, shared: SharedCounts): Promise<string | undefined>;
  release(): void;
}

/** Counts the calls of all gateways of a cluster. */
export type SharedCounts = NonNullable<RequestCall["limits"]>;

/** No limit, and nothing to count. */
export const UNLIMITED: CallLimits = { take: () => undefined, takeShared: async () => undefined, release() {} };

/** The rules of one server, as they are at the moment. A reload replaces them; calls in flight keep theirs. */
export interface Policy {
  readonly slug: string;
  /** By the name that callers use. */
  readonly tools: ReadonlyMap<string, PolicyTool>;
  readonly limits: CallLimits;
  /** Whether this caller may see and call a tool. Lists and calls both ask here. */
  readonly allows: (caller: Pick<Principal, "id" | "scopes"> | undefined, tool: string) => boolean;
  /** Whether all callers see the same tools. */
  readonly isSameForAll: boolean;
  /** `undefined` if the server lists all its tools: else the tools that it lists in their place. */
  readonly search: SearchTools | undefined;
  readonly capture: boolean;
  /** Resolves when all tools are known that this caller may call. `undefined` if they always are. */
  readonly prepare: ((principal: string | undefined) => Promise<void>) | undefined;
}

/** The tools of search mode, and how a call of `call_tool` names the tool that is meant. */
export interface SearchTools {
  readonly names: ReadonlySet<string>;
  /** The call that is meant, with its own name and arguments; `undefined` if these parameters mean no other tool. */
  unwrap(params: object): object | undefined;
}

/** The parts that all servers of a gateway share. */
export interface PipelineHost {
  /** The name of the gateway process. */
  readonly node: string;
  /** Takes a record, and what the operator should know of a failure. Returns at once and never throws. */
  record(record: CallRecord, failure: string | undefined): void;
}

/** The origin of calls that an admin makes: they may call drafts, and no limit counts them. */
export const ADMIN_BINDING = "admin" as const;

/** The origin of a call of an admin, who wants to know its id. */
export interface AdminOrigin {
  readonly binding: typeof ADMIN_BINDING;
  callId: string | undefined;
}
