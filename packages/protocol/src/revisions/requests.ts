import type { CompleteParams } from "../model/completion.ts";
import type { NotificationMethod, Notifications, ParamsOf, RequestMethod } from "../model/methods.ts";
import { elicitParamsRewrite } from "./elicitation.ts";
import { knownFields } from "./fields.ts";
import { initializeParamsRewrite } from "./handshake.ts";
import type { Revision } from "./revision.ts";
import { chain, member, type Rewrite } from "./rewrite.ts";
import { createMessageParamsRewrite } from "./sampling.ts";

/** The translations of what requests carry; those that are not here look the same in all revisions. */
export type RequestTable = { readonly [M in RequestMethod]?: Rewrite<ParamsOf<M>> };

/** How the parameters of each request are translated for a revision. */
export function requestTable(revision: Revision): RequestTable {
  return {
    initialize: initializeParamsRewrite(revision),
    "completion/complete": chain<CompleteParams>(
      knownFields(revision, "completeParams"),
      member("ref", knownFields(revision, "promptReference")),
    ),
    "elicitation/create": elicitParamsRewrite(revision),
    "sampling/createMessage": createMessageParamsRewrite(revision),
  };
}

/** The translations of what notifications carry; those that are not here look the same in all revisions. */
export type NotificationTable = { readonly [M in NotificationMethod]?: Rewrite<Notifications[M]> };

/** How the parameters of each notification are translated for a revision. */
export function notificationTable(revision: Revision): NotificationTable {
  return { "notifications/progress": knownFields(revision, "progressParams") };
}
