import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a simulated API has received. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

/** A response of a simulated API: a body as JSON text, or a function that writes what it wants. */
export type SimulatedResponse =
  | { readonly status?: number; readonly headers?: { readonly [name: string]: string }; readonly body?: string }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** An API on loopback that remembers what it was sent. */
export interface SimulatedApi extends AsyncDisposable {
  readonly url: string;
  readonly requests: ReceivedRequest[];
}

/** Starts an API. `respond` decides by the request. */
export async function simulateApi(respond: (request: ReceivedRequest) => SimulatedResponse): Promise<SimulatedApi> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((http, response) => {
    let body = "";
    http.setEncoding("utf8");
    http.on("data", (chunk: string) => {
      body += chunk;
    });
    http.on("end", () => {
      const request = { method: http.method ?? "", target: http.url ?? "", headers: http.headers, body };
      requests.push(request);
      const answer = respond(request);
      if (typeof answer === "function") return answer(http, response);
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body ?? "{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The weather of the founding document. Other cities are not found. */
const WEATHER_TEXT =
  '{"current_condition":[{"temp_C":"12","temp_F":"54","weatherDesc":[{"value":"Partly cloudy"}],"humidity":"72","windspeedKmph":"15"}]}';

/** The customer of the founding document. */
const CUSTOMER_TEXT =
  '{"id":"cus_abc123","object":"customer","email":"jane@example.com","name":"Jane Smith","created":1710755200}';

/** The two APIs of the founding document in one: weather by city, and customers. */
export function simulateFoundingApis(): Promise<SimulatedApi> {
  return simulateApi(({ method, target }) => {
    if (method === "POST" && target === "/v1/customers") return { body: CUSTOMER_TEXT };
    if (target.startsWith("/London?")) return { body: WEATHER_TEXT };
    return { status: 404, body: '{"message":"City not found"}' };
  });
}
