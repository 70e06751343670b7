import { UsageError } from "@toolwire/protocol";
import { describeKind, isExtensionId } from "@toolwire/protocol/internal";

/** The names that tools, resources and prompts may have (tools page, "Tool Names"). */
const NAME = /^[\w.-]{1,128}$/;

/** Refuses names that clients could not use, before any client sees them. */
export function checkName(kind: string, name: string): void {
  if (typeof name !== "string") {
    throw new UsageError(
      "INVALID_DEFINITION",
      `The name of a ${kind} comes first and is text, but was ${describeKind(name)}.`,
    );
  }
  if (NAME.test(name)) return;
  throw new UsageError(
    "INVALID_DEFINITION",
    `${JSON.stringify(name.slice(0, 140))} cannot be the name of a ${kind}: use 1 to 128 letters A-Z and a-z, digits, "_", "-" and ".". ` +
      "For a name that people read, set `title`.",
  );
}

/** Refuses the name of an extension without a prefix: it could clash with other extensions. */
export function checkExtensionName(name: string): void {
  if (isExtensionId(name)) return;
  throw new UsageError(
    "INVALID_DEFINITION",
    `${JSON.stringify(name.slice(0, 140))} cannot be the name of an extension: use one such as "com.example/thing".`,
  );
}

/** Adds the kind and name of a definition to the errors that `define` throws. */
export function inDefinition<T>(kind: string, name: string, define: () => T): T {
  try {
    return define();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.code, `${kind} "${name}": ${error.message}`, { cause: error.cause ?? error });
  }
}
