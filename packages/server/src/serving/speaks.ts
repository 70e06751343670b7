import { isRevision, type Revision } from "@toolwire/protocol";
import type { Serving } from "./contract.ts";

/** Whether a server speaks the revision of this name. */
export function speaks({ revisions }: Serving, version: string): version is Revision {
  return isRevision(version) && revisions.includes(version);
}
