/** The meaning of the exit codes. */
export const ExitCode = {
  /** It worked. Of `list`: at least one list could be read. Of the show: every answer was right. */
  Success: 0,
  /** The tool ran and failed, and said why. Of the show: something was not as it should be. */
  ToolError: 1,
  /** The server refused the request, or broke the protocol. Of `list`: nothing could be listed. */
  ProtocolError: 2,
  /** The server could not be reached or started, did not answer in time, or the connection broke. */
  ConnectionError: 3,
  /** The command line makes no sense (EX_USAGE of sysexits.h). */
  Usage: 64,
  /** This program has a bug (EX_SOFTWARE). */
  Bug: 70,
} as const;

/** One of them. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
