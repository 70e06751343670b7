import { memberOf, textOf } from "./json-value.ts";
import type { SchemeModel } from "./model.ts";

/** Reads a security scheme of any version. Swagger 2 calls HTTP Basic a type of its own. */
export function readScheme(name: string, value: unknown): SchemeModel {
  const type = String(memberOf(value, "type"));
  switch (type) {
    case "apiKey": {
      const where = memberOf(value, "in");
      const key = textOf(memberOf(value, "name"));
      if (key === undefined || (where !== "header" && where !== "query" && where !== "cookie")) break;
      return { name, kind: `apiKey in ${where} ${key}`, credential: { type: "apiKey", in: where, name: key } };
    }
    case "basic":
      return { name, kind: "basic", credential: { type: "basic" } };
    case "http": {
      const scheme = textOf(memberOf(value, "scheme"))?.toLowerCase();
      if (scheme === "bearer" || scheme === "basic") return { name, kind: scheme, credential: { type: scheme } };
      return { name, kind: `http ${scheme ?? "without a scheme"}`, credential: { type: "unsupported" } };
    }
    case "oauth2":
      return { name, kind: "oauth2", credential: { type: "token" } };
    default:
      break;
  }
  return { name, kind: type.slice(0, 40), credential: { type: "unsupported" } };
}
