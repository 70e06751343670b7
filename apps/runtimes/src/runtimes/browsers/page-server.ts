import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { json } from "node:stream/consumers";
import type { ClientTask } from "../../programs/task.ts";
import type { Outcomes } from "../../steps/outcomes.ts";

/** A page that does tasks, one after the other. */
export interface TaskPage {
  readonly origin: string;
  run(task: ClientTask): Promise<Outcomes>;
  /** The page is gone: nobody needs to wait for it. */
  fail(reason: string): void;
  close(): Promise<void>;
}

/** A page whose site forbids generating code, as careful ones do, and that may call servers on this machine. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:*";

interface Assignment {
  readonly task: ClientTask;
  readonly settle: (outcomes: Outcomes) => void;
}

/** Serves a page with a program on a free port. The program asks for tasks, and says how they went. */
export async function servePage(files: string, program: string): Promise<TaskPage> {
  const board = new TaskBoard();
  const server = createServer((request, response) => {
    answer(board, files, program, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // Another name for the same machine, so that calls of servers there are calls of another origin.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    run: (task) => board.assign(task),
    fail: (reason) => board.fail(reason),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Tasks on their way to the page, and the one that it is at. */
class TaskBoard {
  readonly #waiting: Assignment[] = [];
  #current: Assignment | undefined;
  #wake: (() => void) | undefined;
  #failure: string | undefined;

  assign(task: ClientTask): Promise<Outcomes> {
    return new Promise((settle) => {
      this.#waiting.push({ task, settle });
      if (this.#failure !== undefined) this.fail(this.#failure);
      this.#wake?.();
    });
  }

  async next(): Promise<ClientTask> {
    if (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) throw new Error("There is only one page, and it asks for one task at a time.");
    return this.#current.task;
  }

  done(outcomes: Outcomes): void {
    this.#current?.settle(outcomes);
    this.#current = undefined;
  }

  fail(reason: string): void {
    this.#failure = reason;
    this.done({ connect: { failed: reason } });
    for (const { settle } of this.#waiting.splice(0)) settle({ connect: { failed: reason } });
  }
}

async function answer(
  board: TaskBoard,
  files: string,
  program: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? "/";
  if (path === "/next") {
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(await board.next()));
  } else if (path === "/done") {
    board.done((await json(request)) as Outcomes);
    response.writeHead(204).end();
  } else if (path.endsWith(".js")) {
    const code = await readFile(join(files, basename(path)));
    response.writeHead(200, { "Content-Type": "text/javascript" }).end(code);
  } else {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY });
    response.end(`<!doctype html><title>Toolwire</title><script type="module" src="/${program}"></script>`);
  }
}
