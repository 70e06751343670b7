import type { Presenter } from "../screen/presenter.ts";
import type { Checks } from "./checks.ts";
import type { Lane } from "./lanes.ts";

/** The objects that each act of the show works with. */
export interface Stage {
  readonly lanes: readonly Lane[];
  readonly presenter: Presenter;
  readonly checks: Checks;
}

/** One act of the show. */
export type Act = (stage: Stage) => Promise<void>;

/** Does the same over all transports at once. */
export function onAllLanes<T>(stage: Stage, work: (lane: Lane, index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(stage.lanes.map(work));
}

/** The text of an answer. */
export function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  return content.map((block) => ("text" in block ? String(block.text) : `(${block.type})`)).join("\n");
}
