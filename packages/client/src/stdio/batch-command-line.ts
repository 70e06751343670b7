import { UsageError } from "@toolwire/protocol";

/**
 * The arguments with which `cmd.exe` runs a batch file, to be passed on verbatim.
 *
 * Windows has no argument list, only one line of text, which `cmd.exe` reads by rules of its own: it expands variables
 * even inside quotes, and a quote that the program would take as escaped ends the quotation for `cmd.exe`. What can be
 * said so that both understand the same is said; what cannot is refused, for otherwise an argument could run a command
 * (the class of bugs known as CVE-2024-24576 and CVE-2024-27980).
 */
export function toBatchCommandLine(file: string, args: readonly string[]): readonly string[] {
  const line = [quoteFile(file), ...args.map(quoteArgument)].join(" ");
  // No AutoRun commands, `%name:~0,0%` understood, `!name!` not expanded, and the outer quotes taken off.
  return ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`];
}

function quoteFile(file: string): string {
  if (/["%\r\n\0]/.test(file)) {
    const shown = JSON.stringify(file);
    throw new UsageError("INVALID_ARGUMENT", `The batch file ${shown} has a name that cmd.exe cannot be given safely.`);
  }
  return `"${file}"`;
}

function quoteArgument(argument: string): string {
  if (/[\r\n\0]/.test(argument)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The argument ${JSON.stringify(argument)} holds a line break, which no batch file can be given. ` +
        "Start the program behind the batch file directly, for instance `node` with the path of its script.",
    );
  }
  if (/^[A-Za-z0-9#$*+\-./:?@\\_]*[A-Za-z0-9#$*+\-./:?@_]$/.test(argument)) return argument;
  const quoted = argument
    // Backslashes before a quote would escape it for the program; the quote itself is doubled, which both understand.
    .replaceAll(/(\\*)"/g, '$1$1""')
    // At the end they would escape the closing quote.
    .replace(/(\\+)$/, "$1$1")
    // Expands to a percent sign: an empty part of a variable that always exists stands between two of them.
    .replaceAll("%", "%%cd:~,%");
  return `"${quoted}"`;
}
