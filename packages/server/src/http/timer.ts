/** Lets the process exit while a timer runs. In Node a timer is an object that can do so; elsewhere it is a number. */
export function releaseTimer(timer: unknown): void {
  if (typeof timer === "object" && timer !== null) (timer as { unref?(): void }).unref?.();
}
