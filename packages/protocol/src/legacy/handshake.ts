/** Translates the handshake into older revisions. */

import type {
  ClientCapabilities,
  Implementation,
  InitializeParams,
  InitializeResult,
  ServerCapabilities,
} from "../model/basic.ts";
import { hasFeature } from "../revisions/features.ts";
import type { Revision } from "../revisions/revision.ts";
import { chain, knownFields, member, omit, type Rewrite } from "./rewrite.ts";

/** Translates the client's side of the handshake. */
export function initializeParamsRewrite(revision: Revision): Rewrite<InitializeParams> {
  return chain<InitializeParams>(
    member("clientInfo", implementationRewrite(revision)),
    member("capabilities", clientCapabilitiesRewrite(revision)),
  );
}

/** Translates the server's side of the handshake. */
export function initializeResultRewrite(revision: Revision): Rewrite<InitializeResult> {
  return chain<InitializeResult>(
    member("serverInfo", implementationRewrite(revision)),
    member("capabilities", knownFields<ServerCapabilities>(revision, "serverCapabilities")),
  );
}

/** Translates the capabilities of a client; also for the `_meta` of modern requests, which have no handshake. */
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

/** Without modes, `elicitation` means forms, which a client that only opens pages does not support. */
function withoutUrlOnly(capabilities: ClientCapabilities): ClientCapabilities {
  const { elicitation } = capabilities;
  const urlOnly = elicitation?.url !== undefined && elicitation.form === undefined;
  return urlOnly ? omit(capabilities, ["elicitation"]) : capabilities;
}
