import { UsageError } from "@toolwire/server";
import { type ConfigPath, writeConfigPath } from "./problem.ts";

/** A mistake in a configuration that shows only when something is made of it. Its message begins with the place. */
export class PlacedError extends UsageError {
  override readonly name: string = "UsageError";
  readonly path: ConfigPath;
  /** The message without the place. */
  readonly reason: string;

  constructor(
    path: ConfigPath,
    reason: string,
    options: { readonly code?: UsageError["code"]; readonly cause?: unknown } = {},
  ) {
    super(options.code ?? "INVALID_DEFINITION", `${writeConfigPath(path)}: ${reason}`, { cause: options.cause });
    this.path = path;
    this.reason = reason;
  }
}

/** Adds the place to errors of the work. */
export function atPlace<T>(path: ConfigPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UsageError) || error instanceof PlacedError) throw error;
    throw new PlacedError(path, error.message, { code: error.code, cause: error });
  }
}
