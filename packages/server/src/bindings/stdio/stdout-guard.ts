/** The part of `process.stdout` and `process.stderr` that matters here. */
interface GuardedStream {
  write(chunk: string | Uint8Array, ...rest: unknown[]): boolean;
}

/** A guard on stdout. */
export interface StdoutGuard {
  /** Writes protocol messages, past the guard. */
  write(text: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  /** Removes the guard: all writes reach the stream again. */
  restore(): void;
}

/**
 * Keeps everything but protocol messages off stdout, because one stray line breaks a client's parser. Whatever else
 * the program writes there, be it `console.log` or a library's banner, goes to stderr, where the spec allows it.
 *
 * `console` needs no treatment of its own: it writes through the stream.
 */
export function guardStdout(stdout: GuardedStream, stderr: GuardedStream, warn: () => void): StdoutGuard {
  const original = Object.getOwnPropertyDescriptor(stdout, "write");
  const write = stdout.write.bind(stdout);
  let isActive = true;
  let hasWarned = false;
  const divert = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    if (!isActive) return write(chunk, ...rest);
    if (!hasWarned) {
      hasWarned = true;
      warn();
    }
    return stderr.write(chunk, ...rest);
  };
  stdout.write = divert;
  return {
    write: (text, done) => write(text, done),
    restore() {
      isActive = false;
      // If the stream was wrapped again after us, that wrapper stays; it leads through ours.
      if (Object.getOwnPropertyDescriptor(stdout, "write")?.value !== divert) return;
      if (original === undefined) Reflect.deleteProperty(stdout, "write");
      else Object.defineProperty(stdout, "write", original);
    },
  };
}
