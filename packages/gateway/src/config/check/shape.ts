import { readFileSync } from "node:fs";
import { isObject } from "@toolwire/protocol/internal";
import {
  createJsonSchemaValidator,
  type JsonSchemaObject,
  type SchemaIssue,
  type Validate,
} from "@toolwire/json-schema";
import type { ConfigPath, ConfigProblem } from "../problem.ts";

/** A problem of a value's form, and whether its name is meant rather than its value. */
export interface ShapeProblem extends ConfigProblem {
  readonly isAboutName: boolean;
}

interface Validators {
  readonly gateway: Validate;
  readonly server: Validate;
}

let validators: Validators | undefined;

/** The schema is published beside the package, so that editors can use it. */
export function readConfigSchema(): JsonSchemaObject {
  return JSON.parse(readFileSync(new URL("../../../gateway.schema.json", import.meta.url), "utf8")) as JsonSchemaObject;
}

function compile(): Validators {
  const schema = readConfigSchema();
  const validator = createJsonSchemaValidator();
  const { $defs } = schema as { readonly $defs: object };
  return {
    gateway: validator.compile(schema),
    server: validator.compile({ $schema: schema["$schema"], $ref: "#/$defs/server", $defs }),
  };
}

/**
 * Checks the form of a configuration: names, types and choices. Servers are checked one by one, because a validator names a
 * limited number of issues for one value.
 */
export function checkShape(value: unknown): readonly ShapeProblem[] {
  validators ??= compile();
  if (!isObject(value)) {
    const message = "A configuration is an object with `version: 1` and `servers`.";
    return [{ severity: "error", path: [], message, isAboutName: false }];
  }
  const { servers } = value;
  // Only the names of servers are checked here.
  const outline = isObject(servers) ? Object.fromEntries(Object.keys(servers).map((slug) => [slug, {}])) : servers;
  const problems = toProblems(validators.gateway({ ...value, ...(servers !== undefined && { servers: outline }) }), []);
  if (!isObject(servers)) return problems;
  return problems.concat(
    ...Object.entries(servers).map(([slug, server]) => checkServerShape(server, ["servers", slug])),
  );
}

/** Checks the form of one server. */
export function checkServerShape(value: unknown, path: ConfigPath): ShapeProblem[] {
  validators ??= compile();
  return toProblems(validators.server(value), path);
}

function toProblems(checked: ReturnType<Validate>, base: ConfigPath): ShapeProblem[] {
  return checked.ok ? [] : foldUnions(checked.issues, base);
}

/** Parts that are of exactly one kind, with the members that say which. */
const KINDS: readonly { readonly isAt: (path: ConfigPath) => boolean; readonly members: readonly string[] }[] = [
  {
    isAt: (path) => path[2] === "credentials" && path.length === 4,
    members: ["bearer", "apiKey", "basic", "headers", "clientCredentials", "none"],
  },
  {
    isAt: (path) => path[2] === "upstreams" && path[4] === "auth" && path.length === 5,
    members: ["bearer", "clientCredentials", "workload", "enterprise", "oauth"],
  },
];

/**
 * Of a value that has none of several forms, a validator tells that, and what is wrong by the form that is closest. Either is
 * enough: the former if nothing says which form is meant.
 */
function foldUnions(issues: readonly SchemaIssue[], base: ConfigPath): ShapeProblem[] {
  const problems = issues.map((issue) => ({ kind: issue.kind, problem: toProblem(issue, base) }));
  const dropped = new Set<ShapeProblem>();
  for (const { kind, problem: head } of problems) {
    if (kind !== "union") continue;
    const inside = problems.filter(({ problem }) => problem !== head && isInside(problem.path, head.path));
    const members = KINDS.find(({ isAt }) => isAt(head.path))?.members;
    if (inside.length === 0) continue;
    const isOfNoKind = inside.every(({ problem: { path } }) => path.length === head.path.length + 1);
    if (members === undefined || !isOfNoKind || inside.some((each) => each.kind !== "required")) dropped.add(head);
    else for (const { problem } of inside) dropped.add(problem);
  }
  return problems.flatMap(({ kind, problem }) => {
    if (dropped.has(problem)) return [];
    const members = kind === "union" ? KINDS.find(({ isAt }) => isAt(problem.path))?.members : undefined;
    if (members === undefined) return [problem];
    return [{ ...problem, message: `Write one of ${members.map((member) => `\`${member}\``).join(", ")}.` }];
  });
}

function isInside(path: ConfigPath, outer: ConfigPath): boolean {
  return path.length > outer.length && outer.every((key, index) => path[index] === key);
}

function toProblem({ path, kind, message }: SchemaIssue, base: ConfigPath): ShapeProblem {
  const keys = [...base, ...parsePath(path)];
  const isAboutName = kind === "unknown-property" || kind === "property-name";
  return { severity: "error", path: keys, message: explain(kind, message, keys), isAboutName };
}

/** Puts issues that people meet often into words, and takes values out that may be credentials. */
function explain(kind: SchemaIssue["kind"], message: string, path: ConfigPath): string {
  if (kind === "property-name") {
    if (path.at(-2) === "servers" && path.length === 2) {
      return "A slug has 1 to 64 of a-z, 0-9 and -, with no - at its ends. It is the last part of the URL.";
    }
    return "This name has characters that are not allowed. Use a-z, A-Z, 0-9, _, - and .";
  }
  if (isConfidential(path)) return message.replace(/, got .*$/s, "");
  // A credential may be in a place where it does not belong. Words that people mistype are shorter.
  return message.replace(/, got (?:string )?"(?:[^"\\]|\\.){17,}.*$/s, ", got another text");
}

/** Whether a value may be a credential, which no message shows. */
function isConfidential(path: ConfigPath): boolean {
  const inUpstream = path.includes("upstreams") && ["env", "headers", "auth"].some((part) => path.includes(part));
  return (
    inUpstream || path.includes("credentials") || ["token", "url", "stateKey", "secret"].includes(String(path.at(-1)))
  );
}

/** Reads a path as issues have it: `servers["my-weather"].access[2].tools`. */
export function parsePath(text: string): ConfigPath {
  const keys: (string | number)[] = [];
  const piece = /\.?([\p{L}_$][\p{L}\p{N}_$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/uy;
  for (;;) {
    const match = piece.exec(text);
    if (match === null) return keys;
    const [, name, index, quoted] = match;
    if (name !== undefined) keys.push(name);
    else if (index === undefined) keys.push(JSON.parse(quoted ?? '""') as string);
    else keys.push(Number(index));
  }
}
