/** Refuses extensions that cannot be served, before any client sees them. */
import { REVISIONS, UsageError } from "@toolwire/protocol";
import {
  CORE_RESULT_TYPES,
  CORE_TOPICS,
  describeKind,
  expectFunction,
  expectKnownNames,
  isCoreMethod,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { ExtensionMethod, ListenTopic, ServerExtension } from "../define/extension.ts";
import { checkExtensionName } from "../define/names.ts";

const EXTENSION: OptionNames<ServerExtension> = {
  id: true,
  settings: true,
  capabilities: true,
  methods: true,
  notifications: true,
  topics: true,
  resultTypes: true,
  tools: true,
  resources: true,
  prompts: true,
  toolMembers: true,
  tool: true,
  list: true,
  context: true,
  start: true,
};

const METHOD: OptionNames<Omit<ExtensionMethod, "made by method()">> = {
  params: true,
  result: true,
  revisions: true,
  isGated: true,
  nameParam: true,
  isCacheable: true,
  handle: true,
};

/** Checks one extension by itself. Throws a `UsageError` that names it. */
export function checkExtension(extension: ServerExtension): void {
  if (!isObject(extension) || typeof extension["id"] !== "string") {
    const given = isObject(extension) ? "an object without an `id`" : describeKind(extension);
    throw invalid(
      `Each of \`extensions\` is an object with an \`id\`, such as { id: "com.example/flags" }: ${given} will not do.`,
    );
  }
  const { id, settings } = extension;
  checkExtensionName(id);
  expectKnownNames(`extension "${id}"`, extension, EXTENSION);
  if (settings !== undefined && typeof settings !== "function" && !isObject(settings)) {
    throw wrong(id, `\`settings\` is an object, or a function of the revision, but was ${describeKind(settings)}`);
  }
  for (const member of ["capabilities", "tool", "list", "start"] as const) {
    if (extension[member] !== undefined) expectFunction(`extensions["${id}"].${member}`, extension[member]);
  }
  for (const [method, given] of Object.entries(extension.methods ?? {})) {
    refuseCoreMethod(id, method);
    const each = Array.isArray(given) ? (given as readonly ExtensionMethod[]) : [given as ExtensionMethod];
    for (const one of each) checkMethod(id, method, one);
  }
  for (const [method, hear] of Object.entries(extension.notifications ?? {})) {
    refuseCoreMethod(id, method);
    expectFunction(`extensions["${id}"].notifications["${method}"]`, hear);
  }
  for (const [member, topic] of Object.entries(extension.topics ?? {})) checkTopic(id, member, topic);
  const core = extension.resultTypes?.find((type) => CORE_RESULT_TYPES.has(type));
  if (core !== undefined) throw wrong(id, `\`resultTypes\` names "${core}", which the protocol defines`);
}

function checkMethod(id: string, name: string, method: ExtensionMethod): void {
  if (!isObject(method) || typeof method["handle"] !== "function") {
    throw wrong(id, `make its method "${name}" with \`method({ handle: … })\``);
  }
  expectKnownNames(`method "${name}"`, method, METHOD);
  const unknown = method.revisions?.find((revision) => !REVISIONS.includes(revision));
  if (unknown !== undefined) {
    throw wrong(id, `its method "${name}" names the revision "${unknown}", which there is not`);
  }
}

function checkTopic(id: string, member: string, topic: ListenTopic): void {
  if (CORE_TOPICS.has(member)) throw wrong(id, `its topic "${member}" is one of the protocol`);
  const accepts = isObject(topic) && typeof topic["accept"] === "function";
  if (!accepts) throw wrong(id, `its topic "${member}" needs a function \`accept\``);
}

/** An extension adds methods. It cannot replace those of the protocol, in whatever revision they are. */
function refuseCoreMethod(id: string, method: string): void {
  if (isCoreMethod(method)) throw wrong(id, `"${method}" is a method of the protocol, which no extension can replace`);
}

/** The error for two extensions that add the same thing. */
export function claimedTwice(what: string, first: string, second: string): UsageError {
  return invalid(`${what} is added by two extensions, "${first}" and "${second}": leave one of them out.`);
}

function wrong(id: string, problem: string): UsageError {
  return invalid(`extension "${id}": ${problem}.`);
}

function invalid(message: string): UsageError {
  return new UsageError("INVALID_DEFINITION", message);
}
