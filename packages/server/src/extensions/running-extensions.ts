import type { ExtensionHost } from "../define/extension-host.ts";
import type { ServerExtension } from "../define/extension.ts";
import type { ServerDiagnostic } from "../diagnostics.ts";

type End = () => Promise<void>;

const NOTHING: End = () => Promise.resolve();

/** What extensions do on their own: from the first binding that serves their server until the last has closed. */
export class RunningExtensions {
  readonly #extensions: readonly ServerExtension[];
  readonly #hostOf: (extension: ServerExtension) => ExtensionHost;
  readonly #diagnose: (event: ServerDiagnostic) => void;
  #bindings = 0;
  #ends: readonly (readonly [id: string, end: () => unknown])[] = [];

  constructor(
    extensions: readonly ServerExtension[],
    hostOf: (extension: ServerExtension) => ExtensionHost,
    diagnose: (event: ServerDiagnostic) => void,
  ) {
    this.#extensions = extensions.filter(({ start }) => start !== undefined);
    this.#hostOf = hostOf;
    this.#diagnose = diagnose;
  }

  /** Counts a binding that begins to serve. Returns what it calls when it has closed. Throws what an extension throws that cannot start. */
  open(): End {
    if (this.#extensions.length === 0) return NOTHING;
    if (this.#bindings === 0) this.#start();
    this.#bindings += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return Promise.resolve();
      isOpen = false;
      this.#bindings -= 1;
      return this.#bindings === 0 ? this.#end() : Promise.resolve();
    };
  }

  #start(): void {
    const ends: [string, () => unknown][] = [];
    this.#ends = ends;
    try {
      for (const extension of this.#extensions) {
        const end = extension.start?.(this.#hostOf(extension));
        if (end !== undefined) ends.push([extension.id, end]);
      }
    } catch (error) {
      void this.#end();
      throw error;
    }
  }

  async #end(): Promise<void> {
    const ends = this.#ends;
    this.#ends = [];
    await Promise.all(
      ends.map(async ([id, end]) => {
        try {
          await end();
        } catch (error) {
          this.#diagnose({ level: "error", message: `The extension "${id}" did not end properly.`, error });
        }
      }),
    );
  }
}
