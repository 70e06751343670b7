/** The eras before the modern one, over HTTP. Without the next line, HTTP endpoints serve the modern era only. */
export * from "./legacy/http/endpoint.ts";
// Without the line above, this would not be a module.
// oxlint-disable-next-line typescript/no-useless-empty-export
export {};
