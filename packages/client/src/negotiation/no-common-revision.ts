import { ProtocolViolation, type Revision } from "@toolwire/protocol";

/** The refusal that says what each side speaks. Loaded with the first server that has nothing in common with its client. */
export function noCommonRevision(
  ours: readonly Revision[],
  theirs: readonly unknown[],
  cause?: unknown,
): ProtocolViolation {
  // It may be no server at all, but a wrong path, say. Its words are untrusted: quoted, and cut.
  const words = cause instanceof Error ? `, but ${JSON.stringify(cause.message.slice(0, 200))}` : "";
  const spoken =
    theirs.length === 0
      ? `seems to be older, and does not say what it speaks${words}`
      : `speaks ${theirs.slice(0, 20).join(", ")}`;
  return new ProtocolViolation(
    "NO_COMMON_REVISION",
    `Client and server have no protocol revision in common: this client speaks ${ours.join(", ")}; the server ${spoken}.`,
    { cause },
  );
}
