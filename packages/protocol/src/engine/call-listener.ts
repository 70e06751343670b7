/**
 * Calls somebody who listens, and tells if that fails: at once, or later, as asynchronous functions do. Nobody waits for
 * those, so that their rejection would end the whole process.
 */
export function callListener(listener: () => unknown, failed: (error: unknown) => void): void {
  try {
    (listener() as Partial<Promise<unknown>> | undefined)?.then?.(undefined, failed);
  } catch (error) {
    failed(error);
  }
}
