/** A command line that makes no sense; the message says why. */
export class CommandLineError extends Error {}
