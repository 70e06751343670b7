import { UsageError } from "@toolwire/protocol";

/** Says that somebody else has changed a server in the meantime. */
export function revisionConflict(slug: string, revision: number): UsageError {
  const message =
    revision === 0
      ? `The server ${slug} exists already. Read it, and name its revision to change it.`
      : `The server ${slug} is not at revision ${revision} any more. Read it again, and repeat the change on what it is now.`;
  return new UsageError("INVALID_STATE", message);
}
