/** Reads the metadata of modern requests. */

import { isId, nameOf } from "../messages/parse.ts";
import {
  type ClientCapabilities,
  type Implementation,
  LOGGING_LEVELS,
  type LoggingLevel,
  MetaKey,
  type ProgressToken,
} from "../model/basic.ts";
import { isObject } from "../model/json.ts";
import {
  expectClientCapabilities,
  expectImplementation,
  expectObject,
  expectOneOf,
  expectString,
  invalidParams,
  type Unread,
} from "./expect.ts";

/** The metadata that every modern request carries about itself and its sender. */
export interface PerRequestMeta {
  /** The revision that the request is written in; not necessarily one that this SDK speaks. */
  readonly protocolVersion: string;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** Absent: the request wants no log messages. */
  readonly logLevel: LoggingLevel | undefined;
  /** Absent: the request wants no progress. */
  readonly progressToken: ProgressToken | undefined;
}

/** Whether a request claims to be of the modern era: it names a revision, be it valid or not. */
export function claimsModernEra(params: unknown): boolean {
  return isObject(params) && isObject(params["_meta"]) && params["_meta"][MetaKey.ProtocolVersion] !== undefined;
}

/**
 * The revision that a modern request names. Read it first: in a revision that this side does not speak, the rest may
 * look different, and the answer is -32022 whatever it looks like. Throws an `RpcError` -32602 if there is none.
 */
export function readProtocolVersion(params: unknown): string {
  return versionOf(metaOf(params));
}

/** Reads the metadata of a modern request. Throws an `RpcError` -32602 that names the key which is missing or wrong. */
export function readRequestMeta(params: unknown): PerRequestMeta {
  const meta = metaOf(params);
  const clientInfo = meta[MetaKey.ClientInfo];
  const logLevel = meta[MetaKey.LogLevel];
  return {
    protocolVersion: versionOf(meta),
    clientCapabilities: expectClientCapabilities(
      meta[MetaKey.ClientCapabilities],
      '_meta["io.modelcontextprotocol/clientCapabilities"]',
    ),
    clientInfo:
      clientInfo === undefined
        ? undefined
        : expectImplementation(clientInfo, '_meta["io.modelcontextprotocol/clientInfo"]'),
    logLevel:
      logLevel === undefined
        ? undefined
        : expectOneOf(logLevel, LOGGING_LEVELS, '_meta["io.modelcontextprotocol/logLevel"]'),
    progressToken: tokenOf(meta),
  };
}

function metaOf(params: unknown): Unread {
  return expectObject(expectObject(params, "params")["_meta"], "_meta");
}

function versionOf(meta: Unread): string {
  return expectString(meta[MetaKey.ProtocolVersion], '_meta["io.modelcontextprotocol/protocolVersion"]');
}

function tokenOf(meta: Unread): ProgressToken | undefined {
  const token = meta[MetaKey.ProgressToken];
  if (token === undefined || isId(token)) return token;
  throw invalidParams("_meta.progressToken", "a string or a safe integer", nameOf(token));
}
