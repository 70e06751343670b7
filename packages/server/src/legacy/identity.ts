import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ProgressToken,
  RequestMessage,
  Revision,
} from "@toolwire/protocol";
import { isId } from "@toolwire/protocol/internal";
import type { Identity } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";
import type { LegacySession } from "./session.ts";

/** What is known about a legacy request, most of it from the handshake that opened its session. */
export class LegacyIdentity implements Identity {
  readonly protocolVersion: Revision;
  /** The session of the request. Plain requests have none. */
  readonly session: LegacySession | undefined;
  readonly #request: RequestMessage;

  constructor(request: RequestMessage, protocolVersion: Revision, session: LegacySession | undefined) {
    this.#request = request;
    this.protocolVersion = protocolVersion;
    this.session = session;
  }

  get clientInfo(): Implementation | undefined {
    return this.session?.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.session?.clientCapabilities ?? {};
  }

  /** Plain requests get no log messages: their clients expect one response and nothing else. */
  get logLevel(): LoggingLevel | undefined {
    return this.session?.logLevel;
  }

  /** A token of the wrong type asks for nothing. The modern era refuses it. */
  get progressToken(): ProgressToken | undefined {
    const { params } = this.#request;
    const token = (params as { _meta?: { progressToken?: unknown } } | undefined)?._meta?.progressToken;
    return isId(token) ? token : undefined;
  }
}

/** The session that a request belongs to, if any. */
export function sessionOf({ identity }: ServedRequest): LegacySession | undefined {
  return identity instanceof LegacyIdentity ? identity.session : undefined;
}
