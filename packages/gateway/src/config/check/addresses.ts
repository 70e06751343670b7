import { createNetworkGuard } from "@toolwire/openapi";
import { UsageError } from "@toolwire/server";
import type { NetworkConfig } from "../config.ts";
import { isLoopback } from "../loopback.ts";
import type { ConfigPath } from "../problem.ts";

/** Finds addresses that the gateway would refuse, whenever a request went there. Names are looked up only when it runs. */
export interface AddressRule {
  /** Says how to allow an address that is refused; `undefined` if it is not, or if only a lookup can tell. */
  findRefusal(url: URL): string | undefined;
}

/** Makes the rule of a gateway, or of a server that has one of its own in place of it. */
export function createAddressRule({ allow = [] }: NetworkConfig, where: string): AddressRule {
  // Nobody knows what an entry that is not valid was to allow.
  if (allow.some((entry) => findEntryProblem(entry) !== undefined)) return { findRefusal: () => undefined };
  const guard = createNetworkGuard({ network: { allow }, onDiagnostic: () => undefined });
  return {
    findRefusal(url) {
      const literal = url.hostname.replaceAll(/^\[|\]$/g, "");
      const onThisMachine = isLoopback(literal);
      const probed = new URL(url);
      // Most systems look this name up to several addresses. All of them are those of this machine.
      if (literal === "localhost") probed.hostname = "127.0.0.1";
      try {
        guard.check(probed);
        return undefined;
      } catch {
        const entry = onThisMachine ? "localhost" : literal;
        const line = `network: { allow: [${[...allow, entry].map(writeEntry).join(", ")}] }`;
        return `The gateway calls public addresses only, and ${literal} is not one. To allow it, write \`${line}\` ${where}.`;
      }
    },
  };
}

/** Checks the addresses that are allowed besides public ones. */
export function checkNetwork(
  { allow = [] }: NetworkConfig = {},
  path: ConfigPath,
  checks: { error(path: ConfigPath, message: string): void },
): void {
  for (const [index, entry] of allow.entries()) {
    const problem = findEntryProblem(entry);
    if (problem !== undefined) checks.error([...path, "allow", index], problem);
  }
}

function findEntryProblem(entry: string): string | undefined {
  try {
    createNetworkGuard({ network: { allow: [entry] } });
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Colons and stars mean something in YAML. */
function writeEntry(entry: string): string {
  return /^[\w./-]+$/.test(entry) ? entry : JSON.stringify(entry);
}
