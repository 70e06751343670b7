/** The program to start, and its environment. */
export interface ProcessOptions {
  /** The program. No shell is involved, so nothing in `command` or `args` is interpreted. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Environment variables for the server, in addition to those it inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the server inherits this process's whole environment, secrets included. Default: only `HOME`, `LOGNAME`,
   * `PATH`, `SHELL`, `TERM` and `USER`, or their counterparts on Windows.
   */
  readonly inheritEnv?: boolean | undefined;
  /** The working directory of the server. Default: that of this process. */
  readonly cwd?: string | undefined;
}

/** A server to start as a child process, and its limits. */
export interface SpawnOptions extends ProcessOptions {
  /**
   * Where the server's stderr goes: to this process's stderr, nowhere, or to a function that gets it piece by piece.
   * Default `"inherit"`.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
  /** The largest message to accept from the server, in bytes. A larger one ends the connection. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How many UTF-16 code units may wait for a server that does not read. Default 256 Mi. */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * How many milliseconds the server gets to exit after the end of its input, and again after SIGTERM. Default 2000.
   */
  readonly stopTimeout?: number | undefined;
}
