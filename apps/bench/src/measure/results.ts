/** Everything a run found out, as it is written with `--json`. */
import type { Target } from "../workload/scenario.ts";
import type { AuthorizationPrice } from "./authorization.ts";
import type { BundleSize } from "./bundle-size.ts";
import type { Growth } from "./growth.ts";
import type { InstalledSize } from "./installed-size.ts";
import type { ServerMemory } from "./memory.ts";
import type { Effort, Outcome } from "./race.ts";
import type { Startup } from "./startup.ts";
import type { TypeChecking } from "./type-checking.ts";

/** The results of a run. A member is absent if it was not asked for. */
export interface Results {
  readonly date: string;
  readonly machine: Machine;
  readonly effort: Effort;
  /** By contender, its packages with their versions. */
  readonly versions: Readonly<Record<string, string>>;
  readonly servers: readonly Race[];
  readonly clients: readonly Race[];
  readonly authorization?: readonly AuthorizationPrice[];
  readonly startup?: readonly Startup[];
  readonly memory?: readonly ServerMemory[];
  readonly serverBundles?: readonly BundleSize[];
  readonly clientBundles?: readonly BundleSize[];
  readonly installations?: readonly InstalledSize[];
  readonly typeChecking?: readonly TypeChecking[];
  readonly growth: readonly Growth[];
}

/** Where it was measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly system: string;
  /** Whether server and load had a core each to themselves. */
  readonly isPinned: boolean;
}

/** One scenario and what became of everyone in it. */
export interface Race {
  readonly id: string;
  readonly title: string;
  readonly target?: Target;
  readonly outcomes: readonly Outcome[];
}
