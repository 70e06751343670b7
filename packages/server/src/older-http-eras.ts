/** The eras before the modern one, over HTTP. Without the next line, HTTP endpoints serve the modern era only. */
export * from "./legacy/http/endpoint.ts";
