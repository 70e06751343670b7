import { EventEmitter } from "node:events";
import type { PgClient, PgPool } from "../src/index.ts";

type Answer = (text: string, values: readonly unknown[]) => Promise<Record<string, string | null>[]>;

/** A pool of `pg` without a server: a test says what statements are answered with. */
export class FakePool extends EventEmitter implements PgPool {
  readonly options: { readonly max?: number } = {};
  totalCount = 0;
  /** How each connection was given back: true if it was destroyed. */
  readonly released: boolean[] = [];
  /** The texts of all statements. */
  readonly statements: string[] = [];
  answer: Answer;

  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }

  async connect(): Promise<PgClient> {
    this.totalCount += 1;
    const client = new EventEmitter();
    const query: PgClient["query"] = async ({ text, values = [] }) => {
      this.statements.push(text);
      return { rows: await this.answer(text, values) };
    };
    return Object.assign(client, {
      query,
      release: (destroy = false) => {
        this.totalCount -= 1;
        this.released.push(destroy);
      },
    });
  }
}

/** An error as Postgres and its clients make it, with everything that they add. */
export function postgresError(code: string, message: string, parameters: readonly unknown[] = []): Error {
  return Object.assign(new Error(message), { code, severity: "ERROR", parameters, detail: String(parameters) });
}
