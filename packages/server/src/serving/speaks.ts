import type { Revision } from "@toolwire/protocol";
import { unsupportedRevision } from "../errors.ts";
import type { Serving } from "./contract.ts";

type Speaker = Pick<Serving, "revisions">;

/** Whether a server speaks the revision of this name. */
export function speaks({ revisions }: Speaker, version: string): version is Revision {
  return revisions.includes(version as Revision);
}

/** The revision of this name. Throws the `RpcError` that refuses it, if the server does not speak it. */
export function expectSpoken(speaker: Speaker, version: string): Revision {
  if (speaks(speaker, version)) return version;
  throw unsupportedRevision(version, speaker.revisions, "");
}
