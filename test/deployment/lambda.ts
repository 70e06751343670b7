// lambda.ts
import { createHttpHandler } from "@toolwire/server/http";
import { server } from "./server.ts";

const web = createHttpHandler(server, { allowedHosts: ["mcp.example.com"], legacy: { sessions: false } });

/** The members of an event that are used: of a function URL, or of an HTTP API of API Gateway (payload format 2.0). */
interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

export async function handler(event: HttpEvent) {
  const { rawPath, rawQueryString, headers, requestContext, isBase64Encoded } = event;
  const url = new URL(`https://${headers["host"]}${rawPath}?${rawQueryString}`);
  const body = event.body === undefined ? null : Buffer.from(event.body, isBase64Encoded ? "base64" : "utf8");
  const response = await web.fetch(new Request(url, { method: requestContext.http.method, headers, body }));
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
