/** What to start, and with what around it. */
export interface ProcessOptions {
  /** The program. No shell is involved, so nothing in it or in `args` is ever interpreted. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables for the server, in addition to those it inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the server inherits this process's whole environment, secrets included. Default: only `HOME`, `LOGNAME`,
   * `PATH`, `SHELL`, `TERM` and `USER`, or their counterparts on Windows.
   */
  readonly inheritEnv?: boolean | undefined;
  /** The directory the server starts in. Default: this process's. */
  readonly cwd?: string | undefined;
}

/** A server to start, and how to treat it. */
export interface SpawnOptions extends ProcessOptions {
  /**
   * What becomes of the server's stderr: passed on, dropped, or handed to a function in pieces. Default `"inherit"`.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
  /** The largest message accepted from the server, in bytes; a larger one ends the connection. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How much may wait for a server that does not read, in UTF-16 code units. Default 256 Mi. */
  readonly maxQueuedBytes?: number | undefined;
  /** How long the server may take to end after the end of its input, and again after SIGTERM, in ms. Default 2000. */
  readonly stopTimeout?: number | undefined;
}
