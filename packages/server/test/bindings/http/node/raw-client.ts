import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";

/** The response, byte for byte. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request with exactly these headers, the ones included that `fetch` keeps to itself. */
export function send(
  url: string,
  { method = "POST", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** A bare TCP connection to the server: for those who do not play by the rules. */
export class RawConnection {
  readonly socket: Socket;
  text = "";
  readonly closed: Promise<void>;
  #notify: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      this.text += chunk;
      this.#notify?.();
    });
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        resolve();
        this.#notify?.();
      });
    });
  }

  static open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new RawConnection(socket)));
      socket.on("error", reject);
    });
  }

  write(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  /** Waits until this has been received. */
  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) {
      if (this.socket.destroyed) {
        throw new Error(`The connection was closed without ${JSON.stringify(part)}:\n${this.text}`);
      }
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }
}
