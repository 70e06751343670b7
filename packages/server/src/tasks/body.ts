/** What a task is, whatever keeps it and whoever reads it: one JSON document. */
import type {
  CallToolParams,
  CallToolResult,
  ClientCapabilities,
  Implementation,
  InputRequest,
  JsonValue,
  ProgressToken,
  Revision,
} from "@toolwire/protocol";
import type { Principal } from "../origin.ts";

/** The version of this form. Tasks of another version are left alone: a process of that version may be running. */
export const FORMAT = 1;

/** The call that a task does, without anything that was secret about its request. */
export interface TaskCall {
  readonly params: CallToolParams;
  readonly revision: Revision;
  readonly principal?: Principal | undefined;
  readonly isLocal: boolean;
  readonly clientInfo?: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The token of the client for progress. In 2025-11-25 it stays valid for the whole life of a task. */
  readonly progressToken?: ProgressToken | undefined;
}

/** What happens to a task whose process has ended in the middle of its work. */
export type Resume = "fail" | "replay";

/** The settings of one task. They are kept with it, so that a new version of a program goes on as promised. */
export interface TaskSettings {
  readonly resume: Resume;
  /** How often the work is begun anew after a process has ended in the middle of it, the first time included. */
  readonly attempts: number;
  /** How long to wait between two looks, if the tool says so. */
  readonly poll?: number | undefined;
}

/** A worker's claim on a task. */
interface Lease {
  /** When it ends, unless it is renewed. */
  readonly until: number;
  /** Whether the work has begun. Work that has not can be begun by another worker, whatever {@link Resume} says. */
  readonly isStarted: boolean;
}

/** A question that waits for the client. */
interface OpenQuestion {
  readonly request: InputRequest;
}

/** What a task has come to. It never changes. */
export type TaskOutcome =
  | { readonly kind: "result"; readonly result: CallToolResult }
  | { readonly kind: "error"; readonly error: TaskError }
  | { readonly kind: "cancelled" };

/** The error of a call, as JSON-RPC has it. */
export interface TaskError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue | undefined;
}

/** A task. All times are milliseconds since 1970. */
export interface TaskBody {
  readonly format: typeof FORMAT;
  readonly id: string;
  /** The name of the server that has the tool, and its version when the task was made. */
  readonly server: { readonly name: string; readonly version: string };
  readonly call: TaskCall;
  readonly settings: TaskSettings;

  readonly createdAt: number;
  readonly updatedAt: number;
  /** How long it is kept after it was created; `null`: for ever. Longer once it has ended, so that the result can be read. */
  readonly ttl: number | null;
  /** What it is doing, for people and models. */
  readonly message?: string | undefined;

  /** One more with each claim. What a worker writes counts only while this is the number of its own claim. */
  readonly claim: number;
  readonly lease?: Lease | undefined;
  /** When a worker should take it up, if none has a lease. */
  readonly dueAt?: number | undefined;
  /** How often a process has ended in the middle of its work. */
  readonly losses: number;

  /** The results of `once`, by key, each in an object of its own as JSON has no `undefined`. */
  readonly done: { readonly [key: string]: { readonly value?: unknown } };
  /** The answers of the client, by the keys that it has seen. */
  readonly answers: { readonly [key: string]: unknown };
  /** The questions that wait for an answer, by the keys that the client sees. */
  readonly open: { readonly [key: string]: OpenQuestion };

  readonly outcome?: TaskOutcome | undefined;
}

/** The states of a task, as both protocols name them. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Whether a task has ended. */
export function isOver(body: TaskBody): boolean {
  return body.outcome !== undefined;
}

/** Whether a task waits for its client. */
export function isWaiting(body: TaskBody): boolean {
  return !isOver(body) && Object.keys(body.open).length > 0;
}

/** The caller whose task it is; `null` for callers without authentication. */
export function ownerOf({ call }: TaskBody): string | null {
  return call.principal?.id ?? null;
}

/** When a task may be deleted. */
export function expiryOf({ createdAt, ttl }: TaskBody): number | null {
  return ttl === null ? null : createdAt + ttl;
}

/** When a worker has to look at a task again. */
export function wakeOf(body: TaskBody): number | null {
  if (isOver(body)) return null;
  if (body.lease !== undefined) return body.lease.until;
  return isWaiting(body) ? null : (body.dueAt ?? body.createdAt);
}

/**
 * A new id: 128 random bits, so that nobody can guess the task of another caller, and plain characters, because HTTP clients repeat
 * it in a header.
 */
export function createTaskId(): string {
  return `task-${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The longest id that a client may ask for. */
export const MAX_ID = 256;
