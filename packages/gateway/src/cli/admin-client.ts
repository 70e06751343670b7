import { readFile } from "node:fs/promises";
import { findToken } from "./token-file.ts";
import { type CommandArguments, CommandError, CommandFailure, type Console, textOption } from "./command.ts";

/** The options of every command that talks to a running gateway. */
export const ADMIN_OPTIONS = {
  admin: { type: "string" },
  "token-file": { type: "string" },
} as const;

/** How these options are explained. */
export const ADMIN_HELP = `  --admin URL         the admin listener of the gateway; default:
                      TOOLWIRE_GATEWAY_ADMIN, or http://127.0.0.1:8081
  --token-file FILE   file with the admin token; default: GATEWAY_ADMIN_TOKEN, or
                      the one that a gateway on this machine has made for its run`;

/** How long a gateway may take for an answer, in milliseconds. */
const TIMEOUT = 60_000;

/** Talks to the admin API of a running gateway. */
export class AdminClient {
  readonly #base: string;
  readonly #token: string;

  constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  /** Sends a request, and returns what the response has as JSON; `undefined` if it has no body. */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await this.#fetch(method, path, AbortSignal.timeout(TIMEOUT), body);
    const text = await response.text();
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  }

  /** Reads server-sent events until the gateway ends the stream: the data of each event of this name. The signal makes it reject. */
  async *follow(path: string, name: string, signal: AbortSignal): AsyncGenerator<string> {
    const response = await this.#fetch("GET", path, signal);
    let rest = "";
    for await (const chunk of readTexts(response, signal)) {
      const events = `${rest}${chunk}`.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const lines = event.split("\n");
        const data = lines.find((line) => line.startsWith("data: "));
        if (data !== undefined && lines.includes(`event: ${name}`)) yield data.slice("data: ".length);
      }
    }
  }

  async #fetch(method: string, path: string, signal: AbortSignal, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    let response: Response;
    try {
      response = await fetch(`${this.#base}/api/v1/${path}`, {
        method,
        headers,
        signal,
        redirect: "error",
        ...content,
      });
    } catch (error) {
      if (signal.aborted && signal.reason === STOPPED) throw error;
      throw new CommandFailure(
        `No gateway answers at ${this.#base}. Start one with \`toolwire-gateway serve\`, or name its admin listener with --admin.`,
      );
    }
    if (response.ok) return response;
    throw new CommandFailure(await readRefusal(response));
  }
}

/** The reason of a signal by which the user has ended a command. */
export const STOPPED: unique symbol = Symbol("stopped");

/** Connects to the gateway that the options and the environment name. */
export async function openAdmin(args: CommandArguments, { env }: Console): Promise<AdminClient> {
  const text = textOption(args, "admin") ?? env["TOOLWIRE_GATEWAY_ADMIN"] ?? "http://127.0.0.1:8081";
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new CommandError(`--admin must be a URL such as http://127.0.0.1:8081, not ${JSON.stringify(text)}.`);
  }
  const base = new URL(text).origin;
  return new AdminClient(base, await readToken(base, textOption(args, "token-file"), env));
}

/** A token is never an argument: other users of the machine can read those. */
async function readToken(base: string, file: string | undefined, env: Console["env"]): Promise<string> {
  const given = file === undefined ? env["GATEWAY_ADMIN_TOKEN"]?.trim() : (await readTokenFile(file)).trim();
  const token = given === undefined || given === "" ? await findToken(base, env) : given;
  if (token !== undefined) return token;
  throw new CommandError(
    "The admin token is missing. Set GATEWAY_ADMIN_TOKEN to what `admin.token` of the configuration is. " +
      `A gateway without one makes a token for its user, and none was found for ${base}.`,
  );
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`--token-file cannot be read: ${(error as Error).message}`);
  }
}

/** The body of a response as it comes. A gateway that breaks off is one that has ended the body. */
async function* readTexts({ body }: Response, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
  } catch (error) {
    if (signal.aborted) throw error;
  }
}

/** The reason that the admin API gives: `{ error: { code, message } }`. */
async function readRefusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly message: string } };
    return error.message;
  } catch {
    return `The gateway answered with HTTP ${response.status}. Is this its admin listener?`;
  }
}
