import { RpcError, ErrorCode, type Revision } from "@toolwire/protocol";
import { isObject, readInitializeParams } from "@toolwire/protocol/internal";
import { ClientProfile, type ProfileLimits } from "./client-profile.ts";

/** The version of this format. Processes of another version cannot read it, and leave it alone. */
const FORMAT = 1;

/** How much to keep of what a client says about itself: as much as there is room for. */
const SIZES: readonly ProfileLimits[] = [
  { info: 2048, capabilities: 4096 },
  { info: 1024, capabilities: 1024 },
  { info: 512, capabilities: 256 },
  { info: 256, capabilities: 64 },
];

/** What a handshake has agreed on. */
export interface Facts {
  readonly revision: Revision;
  readonly profile: ClientProfile;
}

/** Whose session it is: that of a caller at a server. Processes that serve several servers may share one store. */
export interface FactsOwner {
  readonly server: string;
  /** The id of the caller, if it is authenticated. */
  readonly principal: string | undefined;
}

/**
 * Writes what a handshake has agreed on as text, for other processes. Keeps less of a client that says more about itself than there
 * is room for; throws an `RpcError` if even its name does not fit.
 */
export function encodeFacts({ revision, profile }: Facts, owner: FactsOwner, maxBytes: number): string {
  const { info, capabilities } = profile;
  for (const limits of SIZES) {
    const cut = new ClientProfile(info, capabilities, limits);
    const text = JSON.stringify({
      v: FORMAT,
      n: owner.server,
      p: owner.principal,
      r: revision,
      i: cut.info,
      c: cut.capabilities,
    });
    if (new TextEncoder().encode(text).length <= maxBytes) return text;
  }
  const message = `The session cannot be kept: the name of the client, and the id of its caller, exceed ${maxBytes} bytes.`;
  throw new RpcError(ErrorCode.InvalidRequest, message);
}

/**
 * Reads text of {@link encodeFacts}. Returns `undefined` if it belongs to another server or caller, or names a revision that is
 * not served any more, or is something else.
 */
export function decodeFacts(text: string, owner: FactsOwner, revisions: readonly Revision[]): Facts | undefined {
  try {
    const facts: unknown = JSON.parse(text);
    if (!isObject(facts) || facts["v"] !== FORMAT) return undefined;
    if (facts["n"] !== owner.server || facts["p"] !== owner.principal) return undefined;
    const revision = revisions.find((spoken) => spoken === facts["r"]);
    if (revision === undefined) return undefined;
    const given = { protocolVersion: revision, clientInfo: facts["i"], capabilities: facts["c"] };
    const { clientInfo, capabilities } = readInitializeParams(given);
    return { revision, profile: new ClientProfile(clientInfo, capabilities) };
  } catch {
    return undefined;
  }
}
