/** The kinds of things that a change can be about. */
export type ChangeKind = "servers" | "keys" | "secrets" | "grants";

/** The listeners of a storage that want to know of changes. One that throws does not keep the others from it. */
export class ChangeListeners {
  readonly #listeners = new Set<(kind: ChangeKind) => void>();

  add(listener: (kind: ChangeKind) => void): () => void {
    const own = (kind: ChangeKind): void => listener(kind);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  tell(kind: ChangeKind): void {
    for (const listener of this.#listeners) {
      try {
        listener(kind);
      } catch (error) {
        // The change is made; a listener that fails is reported like any other error that nobody handles.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
