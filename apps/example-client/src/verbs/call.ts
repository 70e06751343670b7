import type { Progress } from "@toolwire/protocol";
import type { ToolArguments, VerbOptions } from "../command-line.ts";
import { ExitCode } from "../exit-codes.ts";
import { describeContent } from "../printing/content.ts";
import type { Paint } from "../printing/paint.ts";
import { toJson, toPrintable } from "../printing/printable.ts";
import { withClient } from "./connection.ts";

/** Calls a tool, and prints what it says. */
export function call(
  options: VerbOptions & { readonly tool: string; readonly args: ToolArguments },
  paint: Paint,
): Promise<ExitCode> {
  return withClient(options, async (client) => {
    const result = await client.callTool(options.tool, options.args, { onProgress: reportProgress });
    const exitCode = result.isError === true ? ExitCode.ToolError : ExitCode.Success;
    if (options.json) {
      console.log(toJson(result));
      return exitCode;
    }
    const text = toPrintable(result.content.map(describeContent).join("\n"));
    if (exitCode === ExitCode.ToolError) console.log(`${paint("red", "The tool failed:")} ${text}`);
    else console.log(text);
    if (result.structuredContent !== undefined) {
      console.log(`${paint("dim", "structured:")} ${toJson(result.structuredContent)}`);
    }
    return exitCode;
  });
}

/** On stderr, because it is not part of the result. */
function reportProgress({ progress, total, message }: Progress): void {
  const share = total === undefined ? `${progress}` : `${progress}/${total}`;
  console.error(message === undefined ? `… ${share}` : `… ${share} ${toPrintable(message)}`);
}
