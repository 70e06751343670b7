import type {
  ClientCapabilities,
  Implementation,
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
} from "../model/basic.ts";
import { hasFeature } from "../revisions/features.ts";
import { chain, knownFields, member, omit, type Rewrite } from "./rewrite.ts";
import type { Revision } from "../revisions/revision.ts";

/** The client's side of the handshake, for a revision. */
export function initializeParamsRewrite(revision: Revision): Rewrite<InitializeParams> {
  return chain<InitializeParams>(
    member("clientInfo", implementationRewrite(revision)),
    member("capabilities", clientCapabilitiesRewrite(revision)),
  );
}

/** The server's side of the handshake, for a revision. */
export function initializeResultRewrite(revision: Revision): Rewrite<InitializeResult> {
  return chain<InitializeResult>(
    member("serverInfo", implementationRewrite(revision)),
    member("capabilities", knownFields<ServerCapabilities>(revision, "serverCapabilities")),
  );
}

/** What a client can do, as a revision can express it: for the `_meta` of modern requests, where no handshake says it. */
export function translateClientCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const rewrite = clientCapabilitiesRewrite(revision);
  return rewrite === undefined ? capabilities : rewrite(capabilities);
}

function clientCapabilitiesRewrite(revision: Revision): Rewrite<ClientCapabilities> {
  return chain<ClientCapabilities>(
    knownFields(revision, "clientCapabilities"),
    hasFeature(revision, "urlElicitation") ? undefined : withoutUrlOnly,
    member("elicitation", knownFields(revision, "elicitationCapability")),
    member("sampling", knownFields(revision, "samplingCapability")),
    member("roots", knownFields(revision, "rootsCapability")),
  );
}

function implementationRewrite(revision: Revision): Rewrite<Implementation> {
  return knownFields(revision, "implementation");
}

/** Without its modes, `elicitation` promises forms; a client that only opens pages cannot keep that. */
function withoutUrlOnly(capabilities: ClientCapabilities): ClientCapabilities {
  const { elicitation } = capabilities;
  const urlOnly = elicitation?.url !== undefined && elicitation.form === undefined;
  return urlOnly ? omit(capabilities, ["elicitation"]) : capabilities;
}
