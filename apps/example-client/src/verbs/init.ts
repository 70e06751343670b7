import type { VerbOptions } from "../command-line.ts";
import { ExitCode } from "../exit-codes.ts";
import type { Paint } from "../printing/paint.ts";
import { toJson, toPrintable } from "../printing/printable.ts";
import { withClient } from "./connection.ts";

/** Connects, and says what the server is and can do. */
export function init(options: VerbOptions, paint: Paint): Promise<ExitCode> {
  return withClient(options, async ({ revision, era, server, capabilities, instructions }) => {
    if (options.json) {
      const result = { protocolVersion: revision, capabilities, serverInfo: server, instructions };
      console.log(toJson(result));
      return ExitCode.Success;
    }
    console.log(paint("bold", toPrintable(server?.title ?? server?.name ?? "A server without a name")));
    if (server?.description !== undefined) console.log(toPrintable(server.description));
    const facts: [string, string | undefined][] = [
      ["name", server === undefined ? undefined : `${toPrintable(server.name)} ${toPrintable(server.version)}`],
      ["website", server?.websiteUrl],
      ["revision", `${revision} (${era} era)`],
      ["can do", describeCapabilities(capabilities)],
      ["instructions", instructions],
    ];
    for (const [name, fact] of facts) {
      if (fact !== undefined) console.log(`${paint("dim", name.padEnd(12))}  ${toPrintable(fact)}`);
    }
    return ExitCode.Success;
  });
}

/** `tools (listChanged), logging`. */
function describeCapabilities(capabilities: object): string {
  const parts = Object.entries(capabilities).map(([name, details]) => {
    const flags = Object.entries((details ?? {}) as object).filter(([, isSet]) => isSet !== false);
    return flags.length === 0 ? name : `${name} (${flags.map(([flag]) => flag).join(", ")})`;
  });
  return parts.join(", ") || "nothing";
}
