/** Something to wait for. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Makes a gate that is shut. */
export function createGate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
