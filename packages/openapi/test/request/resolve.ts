import { compileRequest } from "../../src/request/compile.ts";
import type { BodySpec, ParameterSpec, RequestSpec } from "../../src/request/request-spec.ts";
import type { HttpRequest } from "../../src/request/http-request.ts";

/** Compiles a request with one parameter called `color`, and resolves it with a value. */
export function writeParameter(
  place: ParameterSpec["in"],
  rest: Partial<ParameterSpec>,
  value: unknown,
): string | undefined {
  const name = rest.name ?? "color";
  const parameter: ParameterSpec = { argument: ["color"], in: place, name, ...rest };
  const path = place === "path" ? `/{${name}}` : "/x";
  const request = resolve({ path, parameters: [parameter] }, { color: value });
  if (place === "header") return request.headers[name.toLowerCase()];
  if (place === "cookie") return request.headers["cookie"];
  return place === "path" ? request.path.slice(1) : request.path.slice("/x?".length);
}

/** Compiles and resolves a request to `https://api.example.com`. */
export function resolve(spec: Partial<RequestSpec>, args: object): HttpRequest {
  const whole = {
    method: "GET",
    baseUrl: "https://api.example.com",
    path: "/",
    parameters: [],
    ...spec,
  } as RequestSpec;
  return compileRequest(whole).resolve(args);
}

/** Writes a body whose value is the argument `body`. */
export function writeBody(spec: Partial<BodySpec>, value: unknown): HttpRequest {
  const body = { contentType: "application/json", format: "json", from: { argument: ["body"] }, ...spec } as BodySpec;
  return resolve({ method: "POST", body }, { body: value });
}

/** A body as text. */
export function textOf({ body }: HttpRequest): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}
