import { describeProblem } from "../config/problem.ts";
import type { GatewayEvent } from "../gateway.ts";
import type { ServerContents } from "./server-contents.ts";

/** Tells the operator of problems of servers, each when it appears. Servers are built again and again. */
export class ContentsNews {
  readonly #report: (event: GatewayEvent) => void;
  /** By slug: the problems of the last time. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(report: (event: GatewayEvent) => void) {
    this.#report = report;
  }

  tell({ slug, problems }: ServerContents): void {
    const before = this.#told.get(slug);
    const texts = new Map(problems.map((problem) => [describeProblem(problem), problem]));
    for (const [message, { severity }] of texts) {
      if (before?.has(message) !== true) this.#report({ level: severity, message, server: slug });
    }
    this.#told.set(slug, new Set(texts.keys()));
  }
}
