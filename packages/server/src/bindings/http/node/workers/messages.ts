import { isObject } from "@toolwire/protocol/internal";

/** What the process that has started the workers tells them. */
export type FromPrimary =
  /** The name of the node that the worker is, and where clients connect to. */
  | { readonly primary: "welcome"; readonly node: string; readonly host: string; readonly port: number }
  /** The worker has said hello before. */
  | { readonly primary: "known" }
  /** A connection comes with this message. */
  | { readonly primary: "connection"; readonly id: number }
  | { readonly primary: "close" }
  | { readonly primary: "drain"; readonly wait: number };

/** What workers tell the process that has started them. */
export type FromWorker =
  | { readonly worker: "hello" }
  | { readonly worker: "ready" }
  | { readonly worker: "failed"; readonly message: string }
  /** The worker reads a connection from now on, or it does not and never has. */
  | { readonly worker: "taken" | "refused"; readonly id: number }
  /** The worker closes because its own program wants it to. */
  | { readonly worker: "leaving" }
  /** The worker takes no more connections. */
  | { readonly worker: "stopped" };

/** Reads a message of the process that has started this one. Others have messages, too: `undefined` for theirs. */
export function readFromPrimary(message: unknown): FromPrimary | undefined {
  if (!isObject(message)) return undefined;
  const { primary, node, host, port, id, wait } = message;
  if (primary === "welcome" && typeof node === "string" && typeof host === "string" && typeof port === "number") {
    return { primary, node, host, port };
  }
  if (primary === "connection" && typeof id === "number") return { primary, id };
  if (primary === "drain" && typeof wait === "number") return { primary, wait };
  return primary === "close" || primary === "known" ? { primary } : undefined;
}

/** Reads a message of a worker. */
export function readFromWorker(message: unknown): FromWorker | undefined {
  if (!isObject(message)) return undefined;
  const { worker, id, message: text } = message;
  if ((worker === "taken" || worker === "refused") && typeof id === "number") return { worker, id };
  if (worker === "failed" && typeof text === "string") return { worker, message: text };
  return worker === "hello" || worker === "ready" || worker === "leaving" || worker === "stopped"
    ? { worker }
    : undefined;
}
