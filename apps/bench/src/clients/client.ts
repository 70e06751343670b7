/** The members that the benchmark needs of a client implementation. */
import type { ClientScenario } from "../workload/scenario.ts";

/** The server to call: canned ones answer from prepared bytes, so that the client is what takes the time. */
export type ClientTarget =
  | { readonly transport: "http"; readonly url: string; readonly answers: "json" | "sse"; readonly bytes: number }
  | { readonly transport: "stdio"; readonly command: readonly string[]; readonly bytes: number }
  | { readonly transport: "websocket"; readonly url: string; readonly bytes: number }
  | {
      readonly transport: "memory";
      readonly server: "own" | "canned";
      /** Whether messages become text and back on the way. */
      readonly isSerialized?: boolean;
      readonly bytes: number;
    };

/** Calls `echo` once and resolves with the text that came back. */
export type Caller = () => Promise<string>;

/** One implementation, in one file. */
export interface ClientContender {
  readonly name: string;
  readonly packages: readonly string[];
  /** Whether it takes part, with a note for the table if not quite as asked; or why it cannot. */
  offer(
    scenario: Pick<ClientScenario, "transport"> & { readonly server?: "own"; readonly isSerialized?: boolean },
  ): { readonly note?: string } | string;
  connect(target: ClientTarget): Promise<Caller>;
}

/** The text in a tool's result, whichever client it came from. */
export function textOf(result: { readonly content?: unknown }): string {
  const [block] = result.content as [{ text: string }];
  return block.text;
}
