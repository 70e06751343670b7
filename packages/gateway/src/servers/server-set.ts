import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import type { StoredServer } from "../storage/storage.ts";
import { RunningServer } from "./running-server.ts";
import type { ServerHost } from "./server-host.ts";
import { fixedPartsOf, type ServerContents } from "./server-contents.ts";

/** Makes a server's contents of its configuration. Throws a `UsageError` if that is not possible. */
export type BuildContents = (slug: string, config: ServerConfig, isFromFile: boolean) => Promise<ServerContents>;

/** The servers of a gateway by slug. A change is built completely before any of it takes effect. */
export class ServerSet {
  readonly #host: ServerHost;
  readonly #build: BuildContents;
  readonly #running = new Map<string, RunningServer>();
  /** Servers that were replaced, and still serve their last requests. */
  readonly #leaving = new Set<Promise<void>>();
  /** Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: ServerHost, build: BuildContents) {
    this.#host = host;
    this.#build = build;
  }

  /** Finds the server of a slug. Slugs come from callers: hence a `Map`. */
  find(slug: string): RunningServer | undefined {
    return this.#running.get(slug);
  }

  list(): readonly RunningServer[] {
    return [...this.#running.values()];
  }

  /**
   * Serves these servers from now on. If one of the file cannot be built, nothing changes and the error is thrown. A server of
   * the file wins over a stored one with the same slug.
   */
  apply(config: GatewayConfig, stored: readonly StoredServer[]): Promise<void> {
    const change = this.#last.then(() => this.#apply(config, stored));
    this.#last = change.catch(() => undefined);
    return change;
  }

  async #apply(config: GatewayConfig, stored: readonly StoredServer[]): Promise<void> {
    const fromFile = config.servers ?? {};
    const others = stored.filter(({ slug }) => !Object.hasOwn(fromFile, slug));
    const contents = await Promise.all(
      Object.entries(fromFile).map(([slug, server]) => this.#build(slug, server, true)),
    );
    // The SDK checks definitions as well, so servers that are made anew are made before any is replaced.
    const changes = contents.map((each) => this.#prepare(each));
    for (const each of others) changes.push(await this.#prepareStored(each));
    const wanted = new Set([...Object.keys(fromFile), ...others.map(({ slug }) => slug)]);
    for (const change of changes) change();
    for (const [slug, server] of this.#running) {
      if (wanted.has(slug)) continue;
      this.#running.delete(slug);
      this.#retire(server);
    }
  }

  /**
   * The same for a stored server. It was checked when it was stored, but what it refers to may be gone since. It must not keep
   * others from being served: it stays as it was.
   */
  async #prepareStored({ slug, config }: StoredServer): Promise<() => void> {
    try {
      return this.#prepare(await this.#build(slug, config, false));
    } catch (error) {
      this.#host.diagnose(slug, "This stored server cannot be built, so it stays as it was.", error);
      return () => undefined;
    }
  }

  /** Makes everything that can fail. Returns what is left to do. */
  #prepare(contents: ServerContents): () => void {
    const { slug } = contents;
    const current = this.#running.get(slug);
    if (current?.fixedParts === fixedPartsOf(contents, this.#host)) return () => current.apply(contents);
    const made = new RunningServer(contents, this.#host);
    return () => {
      this.#running.set(slug, made);
      if (current !== undefined) this.#retire(current);
    };
  }

  #retire(server: RunningServer): void {
    const leaving = server.close().catch((error: unknown) => {
      this.#host.diagnose(server.slug, "The server could not be closed.", error);
    });
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
  }

  /** Serves on for so many milliseconds, until load balancers have noticed. Close the servers then. */
  async drain(wait: number): Promise<void> {
    await Promise.all(this.list().map((server) => server.drain(wait)));
  }

  /** Serves requests in flight to their end, and closes all servers. */
  async close(): Promise<void> {
    await this.#last;
    for (const server of this.#running.values()) this.#retire(server);
    await Promise.all(this.#leaving);
  }
}
