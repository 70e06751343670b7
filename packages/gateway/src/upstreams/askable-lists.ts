import type { Client, Tool } from "@toolwire/client";
import type { Context } from "@toolwire/server";
import { askableOf, keyOf } from "./capabilities.ts";
import type { Leases } from "./leases.ts";
import { listTools } from "./lists.ts";

/** Where tools are listed for callers who can answer questions, and who hears of them. */
export interface AskableListsOptions {
  readonly leases: Leases;
  /** Hears of the tools that a viewer sees. */
  listed(viewer: object, tools: readonly Tool[]): void;
  failed(error: unknown): void;
}

interface AskableList {
  /** How many changes were announced before it. */
  readonly changes: number;
  /** As who these callers see tools. */
  readonly viewer: object;
  readonly listing: Promise<void>;
}

/**
 * The tools that a legacy server lists for callers who can answer questions, by the capabilities of those: some servers offer tools
 * that ask only to them. Modern servers list for all alike.
 */
export class AskableLists {
  readonly #options: AskableListsOptions;
  readonly #lists = new Map<string, AskableList>();
  #changes = 0;

  constructor(options: AskableListsOptions) {
    this.#options = options;
  }

  /** Notes that the lists may have changed. */
  changed(): void {
    this.#changes += 1;
  }

  /** Lists for a caller what is not known yet. Never rejects. */
  async prepare(client: Client | undefined, ctx: Context): Promise<void> {
    const capabilities = askableOf(ctx.clientCapabilities);
    if (capabilities === undefined || client?.era !== "legacy") return;
    const key = keyOf(capabilities);
    const known = this.#lists.get(key);
    const changes = this.#changes;
    if (known?.changes === changes) return known.listing;
    const viewer = known?.viewer ?? {};
    const options = this.#options;
    const listing = options.leases
      .use(ctx.principal?.id, capabilities, ctx, (own) => listTools(own))
      .then(
        (tools) => options.listed(viewer, tools),
        (error: unknown) => options.failed(error),
      );
    this.#lists.set(key, { changes, viewer, listing });
    return listing;
  }

  /** The viewer as which a caller sees more than others do, if it can answer questions. */
  viewerFor(ctx: Context): object | undefined {
    if (this.#lists.size === 0) return undefined;
    const capabilities = askableOf(ctx.clientCapabilities);
    return capabilities && this.#lists.get(keyOf(capabilities))?.viewer;
  }

  get viewers(): readonly object[] {
    return [...this.#lists.values()].map(({ viewer }) => viewer);
  }
}
