/** Runs checks one after the other, prints each, and counts. */
export class Run {
  passed = 0;
  readonly failures: string[] = [];

  /** Runs one check. A check that throws has failed; the others go on. */
  async check(name: string, body: () => Promise<void>): Promise<void> {
    try {
      await body();
      this.passed += 1;
      console.log(`  ok    ${name}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.failures.push(name);
      console.log(`  FAIL  ${name}\n        ${reason.replaceAll("\n", "\n        ")}`);
    }
  }
}

/** Throws unless a list is empty; the error names its first items. */
export function expectNone(what: string, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`${what}: ${found.length}\n${found.slice(0, 8).join("\n")}`);
}

/** Throws unless two values are the same as JSON. */
export function expectSame(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}\ngot      ${left}`);
}
