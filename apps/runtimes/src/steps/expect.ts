/** Throws unless two values are the same, as JSON sees them. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value) ?? "undefined");
  if (found !== wanted) throw new Error(`${what} should be ${wanted}, but is ${found}`);
}

/** Throws unless something holds. */
export function expectThat(what: string, holds: boolean, found: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(found) ?? String(found)}`);
}

/** The reason that a promise rejects with; throws if it does not reject. */
export async function rejectionOf(promise: Promise<unknown>): Promise<object> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error as object;
  }
  throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
}
