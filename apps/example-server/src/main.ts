import { CommandLineError, HELP, readCommandLine } from "./command-line.ts";

try {
  const launch = readCommandLine(process.argv.slice(2));
  if (launch === undefined) console.log(HELP);
  else {
    const { serve } = await import("./serve.ts");
    await serve(launch);
  }
} catch (error) {
  if (error instanceof CommandLineError) {
    console.error(`${error.message}\n\n${HELP}`);
    // EX_USAGE of sysexits.h.
    process.exitCode = 64;
  } else {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
