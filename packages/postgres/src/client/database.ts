/** The value of a parameter. Statements cast it from text, because clients encode other types each in its own way. */
export type Parameter = string | null;

/** A row. Statements cast columns to text, because applications may set how their client reads other types. */
export type Row = { readonly [column: string]: string | null };

/** A statement that is prepared once on each connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Something that was asked of Postgres. */
export interface Pending<T> {
  readonly done: Promise<T>;
  /** Stops waiting, and frees the connection as far as the client is able to. */
  readonly giveUp: () => void;
}

/** What a connection tells that listens. */
export interface Ears {
  heard(payload: string, channel: string): void;
  /** The client listens again after its connection was lost: notifications may be missing. */
  again(): void;
  /** The connection is lost, and the client does not make another one. */
  lost(): void;
}

/** A client that the application has made, as the rest of this package uses it. */
export interface Database {
  run(statement: Statement, values: readonly Parameter[]): Pending<readonly Row[]>;
  /** Runs several statements in one transaction. */
  runScript(text: string): Pending<void>;
  /** Listens to channels, on a connection of its own. Resolves to a function that ends it, once Postgres has confirmed them all. */
  listen(channels: readonly string[], ears: Ears): Pending<() => void>;
  /** Lets go of the client, which stays open. */
  release(): void;
}
