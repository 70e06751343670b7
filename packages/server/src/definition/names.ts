import { UsageError } from "@toolwire/protocol";

/** What tools, resources and prompts may be called (tools page, "Tool Names"). */
const NAME = /^[\w.-]{1,128}$/;

/** Refuses names that clients could not use, before any client sees them. */
export function checkName(kind: string, name: string): void {
  if (NAME.test(name)) return;
  throw new UsageError(
    "INVALID_DEFINITION",
    `${JSON.stringify(name.slice(0, 140))} cannot be the name of a ${kind}: use 1 to 128 letters (A-Z, a-z), digits, "_", "-" and ".". ` +
      "For a name that people read, set `title`.",
  );
}

/** Says in which definition something is wrong. */
export function inDefinition<T>(kind: string, name: string, define: () => T): T {
  try {
    return define();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.code, `${kind} "${name}": ${error.message}`, { cause: error.cause ?? error });
  }
}
