/** Refuses extensions that a client cannot support, before any server is asked. */
import { isRevision, UsageError } from "@toolwire/protocol";
import {
  CORE_RESULT_TYPES,
  CORE_TOPICS,
  describeKind,
  expectFunction,
  expectKnownNames,
  isCoreMethod,
  isExtensionId,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { ClientExtension, InterimResult, SentMethod } from "./extension.ts";

const EXTENSION: OptionNames<ClientExtension> = {
  id: true,
  settings: true,
  capabilities: true,
  methods: true,
  notifications: true,
  topics: true,
  resultTypes: true,
  callMembers: true,
  call: true,
  api: true,
};

const METHOD: OptionNames<SentMethod> = { nameParam: true, revisions: true };

const RESULT_TYPE: OptionNames<InterimResult> = { methods: true, recognizes: true, settle: true };

/** Checks the extensions of a client, each by itself and all together. Throws a `UsageError` that names what is wrong. */
export function checkExtensions(extensions: readonly ClientExtension[]): void {
  for (const extension of extensions) checkExtension(extension);
  const claims = new Map<string, string>();
  for (const extension of extensions) {
    const { id, methods = {}, notifications = {}, topics = [], resultTypes = {}, callMembers = [] } = extension;
    const claim = (what: string): void => {
      const other = claims.get(what);
      if (other !== undefined) throw claimedTwice(what, other, id);
      claims.set(what, id);
    };
    claim(`The extension "${id}"`);
    for (const name of Object.keys(methods)) claim(`The method "${name}"`);
    for (const name of Object.keys(notifications)) claim(`The notification "${name}"`);
    for (const name of topics) claim(`The topic "${name}"`);
    for (const name of Object.keys(resultTypes)) claim(`The result type "${name}"`);
    for (const name of callMembers) claim(`The option "${name}" of callTool()`);
  }
}

/** The error for two extensions that add the same thing. */
function claimedTwice(what: string, first: string, second: string): UsageError {
  const by = first === second ? `given twice` : `added by two extensions, "${first}" and "${second}"`;
  return invalid(`${what} is ${by}: leave one of them out.`);
}

function checkExtension(extension: ClientExtension): void {
  if (!isObject(extension) || typeof extension["id"] !== "string") {
    const given = isObject(extension) ? "an object without an `id`" : describeKind(extension);
    throw invalid(
      `Each of \`extensions\` is an object with an \`id\`, such as { id: "com.example/flags" }: ${given} will not do.`,
    );
  }
  const { id, settings, methods = {}, notifications = {}, topics = [], resultTypes = {} } = extension;
  if (!isExtensionId(id)) {
    const shown = JSON.stringify(id.slice(0, 140));
    throw invalid(`${shown} cannot be the name of an extension: use one such as "com.example/thing".`);
  }
  expectKnownNames(`extension "${id}"`, extension, EXTENSION);
  if (settings !== undefined && typeof settings !== "function" && !isObject(settings)) {
    throw wrong(id, `\`settings\` is an object, or a function of the revision, but was ${describeKind(settings)}`);
  }
  for (const member of ["capabilities", "call", "api"] as const) {
    if (extension[member] !== undefined) expectFunction(`extensions["${id}"].${member}`, extension[member]);
  }
  for (const [name, method] of Object.entries(methods)) {
    refuseCoreMethod(id, name);
    checkMethod(id, name, method);
  }
  for (const [name, hear] of Object.entries(notifications)) {
    refuseCoreMethod(id, name);
    expectFunction(`extensions["${id}"].notifications["${name}"]`, hear);
  }
  const coreTopic = topics.find((topic) => CORE_TOPICS.has(topic));
  if (coreTopic !== undefined) throw wrong(id, `its topic "${coreTopic}" is one of the protocol`);
  for (const [type, interim] of Object.entries(resultTypes)) checkResultType(id, type, interim);
}

function checkMethod(id: string, name: string, method: SentMethod): void {
  if (!isObject(method)) throw wrong(id, `its method "${name}" is an object such as { nameParam: "name" }, or {}`);
  expectKnownNames(`method "${name}"`, method, METHOD);
  const { revisions = [] }: SentMethod = method;
  const unknown = revisions.map(String).find((revision) => !isRevision(revision));
  if (unknown === undefined) return;
  throw wrong(id, `its method "${name}" names the revision "${unknown.slice(0, 40)}", which there is not`);
}

function checkResultType(id: string, type: string, interim: InterimResult): void {
  if (CORE_RESULT_TYPES.has(type)) throw wrong(id, `\`resultTypes\` names "${type}", which the protocol defines`);
  if (!isObject(interim) || !Array.isArray(interim["methods"])) {
    throw wrong(id, `its result type "${type}" is an object such as { methods: ["tools/call"], settle: … }`);
  }
  expectKnownNames(`result type "${type}"`, interim, RESULT_TYPE);
  expectFunction(`extensions["${id}"].resultTypes["${type}"].settle`, interim["settle"]);
}

/** An extension adds methods. It cannot replace those of the protocol, in whatever revision they are. */
function refuseCoreMethod(id: string, method: string): void {
  if (isCoreMethod(method)) {
    throw wrong(id, `"${method}" is a method of the protocol, which no extension can replace`);
  }
}

function wrong(id: string, problem: string): UsageError {
  return invalid(`extension "${id}": ${problem}.`);
}

function invalid(message: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", message);
}
