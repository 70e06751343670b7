import { describe, expect, it } from "vitest";
import { guardStdout } from "../../../src/bindings/stdio/stdout-guard.ts";

class FakeStream {
  readonly written: (string | Uint8Array)[] = [];
  write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    this.written.push(chunk);
    const done = rest.at(-1);
    if (typeof done === "function") (done as () => void)();
    return true;
  }
}

function rig(): {
  stdout: FakeStream;
  stderr: FakeStream;
  warnings: () => number;
  guard: ReturnType<typeof guardStdout>;
} {
  const [stdout, stderr] = [new FakeStream(), new FakeStream()];
  let warnings = 0;
  const guard = guardStdout(stdout, stderr, () => (warnings += 1));
  return { stdout, stderr, warnings: () => warnings, guard };
}

describe("the guard of stdout", () => {
  it("diverts everything but messages to stderr, and warns once", () => {
    const { stdout, stderr, warnings, guard } = rig();
    guard.write("message");
    expect(warnings()).toBe(0);
    let calledBack = false;
    expect(stdout.write("stray", "utf8", () => (calledBack = true))).toBe(true);
    stdout.write(new Uint8Array([1]));
    expect(stdout.written).toEqual(["message"]);
    expect(stderr.written).toEqual(["stray", new Uint8Array([1])]);
    expect(warnings()).toBe(1);
    expect(calledBack).toBe(true);
  });

  it("leaves no trace when it is taken away", () => {
    const { stdout, guard } = rig();
    guard.restore();
    expect(Object.hasOwn(stdout, "write")).toBe(false);
    stdout.write("allowed again");
    expect(stdout.written).toEqual(["allowed again"]);
  });

  it("restores a method that was replaced before", () => {
    const stream = new FakeStream();
    const replaced = (): boolean => false;
    stream.write = replaced;
    guardStdout(stream, new FakeStream(), () => {}).restore();
    expect(stream.write).toBe(replaced);
  });

  it("keeps a later wrapper of the stream in place", () => {
    const { stdout, stderr, guard } = rig();
    const guarded = stdout.write;
    stdout.write = (chunk, ...rest) => guarded(`wrapped ${String(chunk)}`, ...rest);
    guard.restore();
    stdout.write("text");
    expect(stdout.written).toEqual(["wrapped text"]);
    expect(stderr.written).toEqual([]);
  });
});
