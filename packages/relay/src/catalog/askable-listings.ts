import type { Client, Tool } from "@toolwire/client";
import type { Context } from "@toolwire/server";
import type { Leases } from "../connections/leases.ts";
import { askableOf, keyOf } from "../questions/askable.ts";
import { listTools } from "./listing.ts";

/** Where tools are listed for callers who can be asked something, and who hears of them. */
export interface AskableListingsOptions {
  readonly leases: Leases;
  /** Hears of the tools that a viewer sees. */
  listed(viewer: object, tools: readonly Tool[]): void;
  failed(error: unknown): void;
}

interface AskableListing {
  /** Of which generation it is: it is of use until the next one begins. */
  readonly generation: number;
  /** As who these callers see tools. */
  readonly viewer: object;
  readonly listing: Promise<void>;
}

/**
 * The tools that a legacy server lists for callers who can be asked something, by what that is: some servers offer tools that ask
 * only to them. Modern servers list for all alike.
 */
export class AskableListings {
  readonly #options: AskableListingsOptions;
  readonly #listings = new Map<string, AskableListing>();
  #generation = 0;

  constructor(options: AskableListingsOptions) {
    this.#options = options;
  }

  /** Notes that the lists may have changed: the next request of each kind of caller lists again. */
  outdated(): void {
    this.#generation += 1;
  }

  /** Lists for a caller what is not known yet. Never rejects. */
  async prepare(client: Client | undefined, ctx: Context): Promise<void> {
    const capabilities = askableOf(ctx.clientCapabilities);
    if (capabilities === undefined || client?.era !== "legacy") return;
    const key = keyOf(capabilities);
    const known = this.#listings.get(key);
    const generation = this.#generation;
    if (known?.generation === generation) return known.listing;
    const viewer = known?.viewer ?? {};
    const options = this.#options;
    const listing = options.leases
      .use(ctx.principal?.id, capabilities, ctx, (own) => listTools(own))
      .then(
        (tools) => options.listed(viewer, tools),
        (error: unknown) => options.failed(error),
      );
    this.#listings.set(key, { generation, viewer, listing });
    return listing;
  }

  /** The viewer as which a caller sees more than others do, if it can be asked something. */
  viewerFor(ctx: Context): object | undefined {
    if (this.#listings.size === 0) return undefined;
    const capabilities = askableOf(ctx.clientCapabilities);
    return capabilities && this.#listings.get(keyOf(capabilities))?.viewer;
  }

  get viewers(): readonly object[] {
    return [...this.#listings.values()].map(({ viewer }) => viewer);
  }
}
