import { type CompleteParams, ErrorCode, type Revision, RpcError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { ClientEra, EraFailure, FailedRequest } from "../eras/era.ts";
import { describeServer, initialize } from "./handshake.ts";
import { openLegacyHttp } from "./http/transport.ts";
import { otherTransport, rememberedTransport } from "./other-transports.ts";
import { answerRequest } from "./server-requests.ts";
import { watch } from "./watch.ts";

/**
 * The legacy era (2024-11-05 to 2025-11-25): `initialize` opens a session, in which servers may send requests. This is the
 * only file of the folder that the rest of the client imports.
 */
export const legacyEra: ClientEra = {
  name: "legacy",
  agree: async (caller, terms) => ({ ...(await initialize(caller, terms)), era: legacyEra }),
  recognizes: () => false,
  confirm: (connection) => connection.notify("notifications/initialized", undefined),
  rememberedTransport,
  otherTransport,
  restrictParams,
  // The first revision has completion, but no capability for it.
  declares: (capability, revision) => capability !== "completions" || revision > "2024-11-05",
  hasResultTypes: false,
  hasParamHeaders: false,
  hasSessions: true,
  sharesAnnouncements: true,
  classify,
  questionsIn,
  describe: describeServer,
  setLogLevel: (level, call) => call("logging/setLevel", { level }),
  watch,
  answerRequest,
  allowsBatch: (revision) => revision === "2025-03-26",
  openHttp: openLegacyHttp,
};

/** Leaves out the `context` of a completion, which came with 2025-06-18. */
function restrictParams(method: string, params: object, revision: Revision): object {
  if (method !== "completion/complete" || revision >= "2025-06-18") return params;
  const { context: _context, ...older } = params as CompleteParams;
  return older;
}

function classify(error: unknown, { isProven }: FailedRequest): EraFailure | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const { code } = error;
  if (code === ErrorCode.UrlElicitationRequired) return "questions";
  // Legacy servers do not send these codes. They may well say that the client lacks a capability (-32021).
  const isModern = code === ErrorCode.UnsupportedProtocolVersion || code === ErrorCode.HeaderMismatch;
  return isModern && !isProven ? "other era" : undefined;
}

/** The pages that a `URLElicitationRequiredError` (2025-11-25 only) wants the user to visit, as elicitation parameters. */
function questionsIn({ data }: RpcError): readonly object[] {
  const pages = isObject(data) ? data["elicitations"] : undefined;
  return Array.isArray(pages) ? (pages as readonly object[]).map((page) => ({ ...page, mode: "url" })) : [];
}
