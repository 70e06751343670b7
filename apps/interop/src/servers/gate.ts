/** A gate that lets one through each time it is opened. */
export interface Gate {
  /** Lets the next one through, now or when it gets there. */
  open(): void;
  /** Waits for the gate. */
  pass(): Promise<void>;
}

/** Makes a gate. */
export function createGate(): Gate {
  const waiting: (() => void)[] = [];
  let permits = 0;
  return {
    open() {
      const next = waiting.shift();
      if (next === undefined) permits++;
      else next();
    },
    async pass() {
      if (permits > 0) permits--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
