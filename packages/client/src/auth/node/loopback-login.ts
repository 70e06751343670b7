import { createInterface } from "node:readline";
import { AuthError, UsageError } from "@toolwire/protocol";
import type { Login, LoginAttempt, LoginRequest, LoginResponse } from "../login/login.ts";
import { checkBrowserUrl, hasBrowser, openBrowser } from "./open-browser.ts";
import { type CallbackListener, listenForCallback, type ListenerOptions } from "./callback-listener.ts";

/** The options of {@link loopbackLogin}. */
export interface LoopbackLoginOptions {
  /** The address to listen at. Some authorization servers take only `"localhost"`. Default: `"127.0.0.1"`. */
  readonly host?: ListenerOptions["host"] | undefined;
  /** The port to listen at. Default: 0, a free one; that of an earlier login first. */
  readonly port?: number | undefined;
  /** The path of the redirect URI. Default: `/callback`. */
  readonly path?: string | undefined;
  /** Opens the page: `true`, the default, in the user's browser; `false` not at all; or a function of your own. */
  readonly open?: boolean | ((url: URL, request: LoginRequest) => void | Promise<void>) | undefined;
  /**
   * Where a user can paste the URL that the browser ended at, for machines without a browser. Default: standard input, if it is
   * a terminal. `false` reads nothing.
   */
  readonly paste?: NodeJS.ReadableStream | false | undefined;
  /** Shows a text to the user. Default: writes it to standard error. */
  readonly show?: ((text: string) => void) | undefined;
}

/**
 * Logs in with the browser on the same machine: opens the page, and listens for its end on a port that only this machine
 * reaches. Over SSH and without a display, it shows the URL, and takes the URL that the browser ended at from the terminal.
 */
export function loopbackLogin(options: LoopbackLoginOptions = {}): Login {
  const { host = "127.0.0.1", port = 0, path = "/callback" } = options;
  if (!["127.0.0.1", "localhost", "::1"].includes(host)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      '`host` must be "127.0.0.1", "localhost" or "::1": other machines must not see the login.',
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError("INVALID_ARGUMENT", "`port` must be a port, or 0.");
  }
  if (!/^\/[\w./-]*$/.test(path)) {
    throw new UsageError("INVALID_ARGUMENT", "`path` must begin with a slash, and hold no query.");
  }
  return {
    async start({ redirectUri }) {
      const listener = await listenForCallback({ host, port, path, preferred: redirectUri });
      return new LoopbackAttempt(listener, options);
    },
  };
}

class LoopbackAttempt implements LoginAttempt {
  readonly #listener: CallbackListener;
  readonly #options: LoopbackLoginOptions;

  constructor(listener: CallbackListener, options: LoopbackLoginOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  get redirectUri(): string {
    return this.#listener.redirectUri;
  }

  async authorize(url: URL, request: LoginRequest): Promise<LoginResponse> {
    const { open = true, paste, show = (text) => void process.stderr.write(`${text}\n`) } = this.#options;
    const target = checkBrowserUrl(url);
    const came = this.#listener.wait(request.state, request.signal);
    came.catch(() => {});
    const isOpen = await openPage(open, target, request);
    const input = paste ?? (process.stdin.isTTY ? process.stdin : false);
    if (isOpen) {
      if (typeof open !== "function") {
        show(`Log in at ${new URL(request.issuer).host} in the browser window that has opened.`);
      }
      return came;
    }
    show(`To log in at ${new URL(request.issuer).host}, open this page:\n\n${target.href}\n`);
    if (input === false) return came;
    show("If the browser runs on another machine, paste the address here that it ends at:");
    return Promise.race([came, readPaste(input, request)]);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }
}

async function openPage(
  open: NonNullable<LoopbackLoginOptions["open"]>,
  url: URL,
  request: LoginRequest,
): Promise<boolean> {
  if (typeof open === "function") {
    await open(url, request);
    return true;
  }
  return open && hasBrowser() && (await openBrowser(url));
}

/** The longest address that is read. */
const MAX_PASTE = 16 * 1024;

/**
 * Reads the address that the browser ended at: a URL, its query, or the code alone. The code alone has no state, so it counts
 * as the answer to this login: the user has copied it. All else is checked as if it had come by itself.
 */
async function readPaste(input: NodeJS.ReadableStream, { state, signal }: LoginRequest): Promise<LoginResponse> {
  const lines = createInterface({ input, signal });
  for await (const line of lines) {
    const text = line.trim().slice(0, MAX_PASTE);
    if (text === "") continue;
    const isCode = !text.includes("=") && !URL.canParse(text);
    lines.close();
    return isCode ? new URLSearchParams({ code: text, state }) : text;
  }
  signal.throwIfAborted();
  throw new AuthError("LOGIN_CANCELLED", "The input ended before an address was pasted.");
}

/** The options of {@link pasteLogin}. */
export interface PasteLoginOptions {
  /** The redirect URI that this client is registered with. Default: `http://127.0.0.1:33418/callback`, where nobody listens. */
  readonly redirectUri?: string | undefined;
  /** Where the address is read from. Default: standard input. */
  readonly input?: NodeJS.ReadableStream | undefined;
  /** Shows a text to the user. Default: writes it to standard error. */
  readonly show?: ((text: string) => void) | undefined;
}

/** Logs in without any listener: shows a URL, and takes the address that the browser of the user ended at. */
export function pasteLogin(options: PasteLoginOptions = {}): LoginAttempt {
  const { redirectUri = "http://127.0.0.1:33418/callback", input = process.stdin } = options;
  const { show = (text) => void process.stderr.write(`${text}\n`) } = options;
  return {
    redirectUri,
    async authorize(url, request) {
      const target = checkBrowserUrl(url);
      show(`To log in at ${new URL(request.issuer).host}, open this page:\n\n${target.href}\n`);
      show("The browser ends at an address that it cannot open. Paste it here:");
      return readPaste(input, request);
    },
  };
}
