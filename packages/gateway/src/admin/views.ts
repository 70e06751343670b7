/**
 * The JSON of the admin API, as types. The page imports them, so that both sides agree.
 */
import type { CallToolResult, JsonSchemaObject, ToolAnnotations } from "@toolwire/server";
import type { CallTotals, ClientTotals, LogStatus, SeriesPoint, ToolTotals } from "../log/call-log.ts";
import type { CallRecord } from "../log/call-record.ts";
import type { ApiKey, AuditEntry } from "../storage/storage.ts";
import type { UpstreamStatus } from "../upstreams/upstream.ts";

/** Every error of the admin API. */
export interface ErrorView {
  readonly error: {
    readonly code: string;
    readonly message: string;
    /** Everything that is wrong with a configuration, each with the keys that lead to it from the root. */
    readonly problems?: readonly ProblemView[] | undefined;
  };
}

/** One mistake in a configuration. */
export interface ProblemView {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Whether the caller is logged in. */
export interface SessionView {
  readonly isLoggedIn: boolean;
  /** When a session of the page ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** The identity provider at which people can log in, if there is one. */
  readonly login?: { readonly name: string } | undefined;
}

/** A server in a list. */
export interface ServerSummary {
  readonly slug: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly status: "active" | "paused" | "draft";
  /** Servers of the configuration file cannot be changed here. */
  readonly isFromFile: boolean;
  /** The revision that a change must name in `If-Match`. Absent for servers of the file. */
  readonly revision?: number | undefined;
  /** Where clients connect to. */
  readonly endpoint: string;
  /** What callers need: an API key, an access token, either of them, or nothing. */
  readonly access: "open" | "keys" | "tokens" | "keys-or-tokens";
  readonly toolCount: number;
  readonly activeToolCount: number;
  /** Estimated tokens of the listing of all active tools. */
  readonly tokens: number;
  readonly upstreamCount: number;
  readonly problems: readonly string[];
}

/** A tool of a server. */
export interface ToolView {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly source: "http" | "openapi" | "mcp";
  readonly status: "active" | "draft";
  readonly bytes: number;
  readonly tokens: number;
  readonly inputSchema: JsonSchemaObject;
  /** What `schemas: portable` has changed in it. Empty if nothing. */
  readonly rewritten: readonly string[];
  readonly outputSchema?: JsonSchemaObject | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** Whether a credential of a server has all of its values. Never a value. */
export interface CredentialView {
  readonly server: string;
  readonly name: string;
  readonly kind: string;
  readonly isSet: boolean;
  readonly perUser: boolean;
  /** The sealed secrets that it refers to by `${secret:name}`. */
  readonly secrets: readonly string[];
}

/** An upstream with the server that it belongs to. */
export interface UpstreamView extends UpstreamStatus {
  readonly server: string;
  /** The command or the URL, without secrets. */
  readonly target: string;
  readonly isPinned: boolean;
}

/** A person that is logged in at an upstream. Never a token. */
export interface LoginsView {
  readonly logins: readonly {
    /** Absent for a login that all callers share. */
    readonly principal?: string | undefined;
    /** When the login was made, in milliseconds since 1970. */
    readonly since: number;
  }[];
}

/** A link at which an admin logs in for all callers of an upstream. It works once. */
export interface LoginLinkView {
  readonly url: string;
}

/** One server with everything that can be known about it. */
export interface ServerView extends ServerSummary {
  /** The configuration. Secrets that it holds as text read `[secret]`; written back like that, they stay as they are. */
  readonly config: unknown;
  readonly tools: readonly ToolView[];
  readonly upstreams: readonly UpstreamView[];
  readonly credentials: readonly CredentialView[];
}

/** The configuration of a server as a configuration file has it below `servers`, without secrets. */
export interface ServerYamlView {
  readonly yaml: string;
}

/** The time span that fits the calls of the log: the shortest one that has them all, at most a day. */
export interface SpanView {
  readonly span: "15m" | "1h" | "6h" | "24h";
}

/** The figures of a time span, and those of the span of the same length before it. */
export interface OverviewView {
  readonly totals: CallTotals;
  readonly before: CallTotals;
  readonly servers: {
    readonly active: number;
    readonly paused: number;
    readonly draft: number;
    readonly withProblems: number;
  };
}

/** Totals by interval. */
export interface SeriesView {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly points: readonly SeriesPoint[];
}

/** Totals by tool. */
export interface ToolTotalsView {
  readonly tools: readonly ToolTotals[];
}

/** Totals by client program. */
export interface ClientTotalsView {
  readonly clients: readonly ClientTotals[];
}

/** One page of calls. */
export interface CallsView {
  readonly calls: readonly CallRecord[];
  readonly next?: string | undefined;
}

/** A call that an admin made to try a tool. */
export interface TryView {
  /** The id of its record in the call log. */
  readonly id: string;
  readonly result: CallToolResult;
}

/** An operation that can become a tool. */
export interface CandidateView {
  /** The id by which a commit names it. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The id that the document gives the operation, which the configuration may use in place of the name. */
  readonly operationId?: string | undefined;
  readonly tags: readonly string[];
  /** The name of the tool; absent if the operation cannot become one. */
  readonly tool?: string | undefined;
  readonly description?: string | undefined;
  readonly bytes: number;
  readonly tokens: number;
  /** Why it cannot become a tool. */
  readonly reason?: string | undefined;
  /** Parts of it that are lost or changed. */
  readonly notes: readonly string[];
}

/** A document that was read, and is kept until it is committed or expires. */
export interface ImportView {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly expiresAt: number;
  /** The addresses that the document names. */
  readonly servers: readonly string[];
  /** The ways to authenticate that the document names. */
  readonly securitySchemes: readonly {
    readonly name: string;
    readonly kind: string;
    readonly isSupported: boolean;
  }[];
  readonly candidates: readonly CandidateView[];
}

/** A sealed secret. Never its value. */
export interface SecretView {
  readonly name: string;
  readonly principal?: string | undefined;
  readonly isSet: true;
  readonly updatedAt: number;
}

/** A new API key. `secret` is shown here and never again. */
export interface NewKeyView {
  readonly key: ApiKey;
  readonly secret: string;
}

/** The API keys of the gateway. */
export interface KeysView {
  readonly keys: readonly ApiKey[];
}

/** The latest changes. */
export interface AuditView {
  readonly entries: readonly AuditEntry[];
}

/** The state of the gateway. */
export interface HealthView {
  readonly status: "ok" | "degraded" | "down";
  readonly isReady: boolean;
  readonly node: string;
  readonly startedAt: number;
  readonly url: string;
  readonly log: LogStatus;
  readonly memoryBytes: number;
  /** Sentences about everything that is not as it should be. */
  readonly problems: readonly string[];
}
