/** What extensions may be called, and what they must leave to the protocol itself. */
import { servesMethod } from "./methods.ts";
import { REVISIONS } from "./revision.ts";

/** A `_meta` key whose prefix is not left out (base protocol, "General fields"; versioning, "Extension Negotiation"). */
const EXTENSION_ID = /^[a-z](-*[a-z\d])*(\.[a-z](-*[a-z\d])*)*\/([a-z\d]([\w.-]*[a-z\d])?)?$/i;

/** Whether this can be the id of an extension. Without a prefix, it could clash with other extensions. */
export function isExtensionId(id: string): boolean {
  return EXTENSION_ID.test(id);
}

/** Whether the protocol itself has a method of this name, in any revision and any direction. */
export function isCoreMethod(method: string): boolean {
  return REVISIONS.some(
    (revision) =>
      servesMethod(revision, method, "client-to-server") || servesMethod(revision, method, "server-to-client"),
  );
}

/** The types of results that the protocol defines. */
export const CORE_RESULT_TYPES: ReadonlySet<string> = new Set(["complete", "input_required"]);

/** The members of the filter of `subscriptions/listen` that the protocol defines. */
export const CORE_TOPICS: ReadonlySet<string> = new Set([
  "toolsListChanged",
  "promptsListChanged",
  "resourcesListChanged",
  "resourceSubscriptions",
]);
