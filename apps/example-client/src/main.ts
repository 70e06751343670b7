import { CommandLineError } from "./command-line-error.ts";
import { HELP, readCommandLine, type Command } from "./command-line.ts";
import { ExitCode } from "./exit-codes.ts";
import { createPaint, wantsColour } from "./printing/paint.ts";
import { toJson } from "./printing/printable.ts";
import { explainFailure } from "./verbs/failure.ts";

process.exitCode = await main();

async function main(): Promise<ExitCode> {
  let command: Command;
  try {
    command = readCommandLine(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error;
    console.error(`${error.message} See --help.`);
    return ExitCode.Usage;
  }
  const isJson = "json" in command && command.json;
  try {
    return await run(command);
  } catch (error) {
    const { exitCode, message, json } = explainFailure(error);
    if (isJson) console.log(toJson({ error: json }));
    else console.error(createPaint(wantsColour(process.stderr))("red", message));
    return exitCode;
  }
}

/** Loads what the command needs, and nothing else: whoever asks for help should not wait for the show. */
async function run(command: Command): Promise<ExitCode> {
  const paint = createPaint(wantsColour(process.stdout));
  switch (command.verb) {
    case "help":
      console.log(HELP);
      return ExitCode.Success;
    case "show": {
      const { runShow } = await import("./show/show.ts");
      return (await runShow(command.revision)) ? ExitCode.Success : ExitCode.ToolError;
    }
    case "init": {
      const { init } = await import("./verbs/init.ts");
      return init(command, paint);
    }
    case "list": {
      const { list } = await import("./verbs/list.ts");
      return list(command, paint);
    }
    default: {
      const { call } = await import("./verbs/call.ts");
      return call(command, paint);
    }
  }
}
