/** Questions and answers between the benchmark and its worker processes, over Node's own channel. */

/** The commands of a worker: a function of one argument each. */
export type Commands<C> = { readonly [K in keyof C]: (argument: never) => unknown };

/** A question, numbered so that its answer can be told apart. */
interface Question {
  readonly number: number;
  readonly command: string;
  readonly argument: unknown;
}

/** The reply to a command. */
export type Reply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string };

/** Answers questions with these commands until the parent goes away. */
export function answerCommands<C extends Commands<C>>(commands: C): void {
  process.on("message", ({ number, command, argument }: Question) => {
    void (async () => {
      try {
        const run: (argument: never) => unknown = commands[command as keyof C];
        reply({ number, value: await run(argument as never) });
      } catch (error) {
        reply({ number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
    })();
  });
  process.on("disconnect", () => process.exit());
}

function reply(answer: Reply): void {
  process.send?.(answer);
}
