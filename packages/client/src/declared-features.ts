/** Requests for what a server declares by a capability: tools, resources, prompts, completion, logging. */
import type { ListResult, ServerCapabilities } from "@toolwire/protocol";
import { UsageError } from "@toolwire/protocol";
import type { FetchOptions, RequestOptions } from "./call-options.ts";
import { allItems } from "./calls/pages.ts";
import { findMistake, invalidCall, isRecord } from "./check-options.ts";
import type { RemoteServer } from "./remote-server.ts";

/** The options of a request for one page of a list. */
export interface ListOptions extends FetchOptions {
  /** The `nextCursor` of the previous page. Absent for the first page. */
  readonly cursor?: string | undefined;
}

type Capability = keyof ServerCapabilities;

/** Things that are asked for by name, with arguments. */
const BY_NAME = {
  callTool: { method: "tools/call", capability: "tools", kind: "tool" },
  getPrompt: { method: "prompts/get", capability: "prompts", kind: "prompt" },
} as const;

/** Throws if the server has not declared a capability. */
export function expectDeclared(server: RemoteServer, capability: Capability): void {
  if (lacks(server, capability)) throw lacking(capability);
}

/** Sends a request for something that has a name and takes arguments. */
export function askByName(
  server: RemoteServer,
  caller: keyof typeof BY_NAME,
  name: unknown,
  args: unknown,
  options: RequestOptions | undefined,
): Promise<object> {
  const mistake = findMistakeIn(server, caller, name, args);
  if (mistake !== undefined) return Promise.reject(mistake);
  return server.call(BY_NAME[caller].method, args === undefined ? { name } : { name, arguments: args }, options);
}

/** Gets a page of a list. A server without the capability has an empty list and is not asked. */
export async function fetchPage<Page extends ListResult>(
  server: RemoteServer,
  capability: Capability,
  method: string,
  empty: Page,
  options: ListOptions | undefined,
): Promise<Page> {
  if (lacks(server, capability)) return empty;
  const cursor = options?.cursor;
  const params = cursor === undefined ? {} : { cursor };
  return (await server.fetch(method, params, options)) as Page;
}

/** Iterates over all items of a list. Where there are sessions, cursors are valid in one only. */
export async function* iterate<Page extends ListResult, Item>(
  server: RemoteServer,
  getPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  yield* allItems(getPage, itemsOf, () => server.agreement.era.hasSessions && server.agreement);
}

/** Finds what is wrong with the arguments of `callTool` or `getPrompt`. */
function findMistakeIn(
  server: RemoteServer,
  caller: keyof typeof BY_NAME,
  name: unknown,
  args: unknown,
): Error | undefined {
  const { kind, capability } = BY_NAME[caller];
  if (typeof name !== "string") {
    return invalidCall(caller, `the name of a ${kind} first: ${caller}(name, args, options)`, name);
  }
  if (args !== undefined && !isRecord(args)) return findMistake({ arguments: args });
  return lacks(server, capability) ? lacking(capability) : undefined;
}

function lacks({ agreement }: RemoteServer, capability: Capability): boolean {
  const { capabilities, era, revision } = agreement;
  return capabilities[capability] === undefined && era.declares?.(capability, revision) !== false;
}

/** The error for a method whose capability the server has not declared. */
function lacking(capability: Capability): UsageError {
  const message = `The server has not declared the capability \`${capability}\`. If it serves this all the same, use \`request()\`.`;
  return new UsageError("UNSUPPORTED", message);
}
