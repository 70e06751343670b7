import { UsageError } from "@toolwire/protocol";
import { describeKind, isObject } from "@toolwire/protocol/internal";
import type { ExtensionClient } from "../extensions/extension.ts";
import type { TaskGeneration, TaskWire } from "./wire.ts";

/**
 * What is needed to find a task again, also in another process: plain JSON. The id may be all that a server asks for, so keep it as a
 * secret is kept.
 */
export interface TaskRef {
  readonly id: string;
  /** The tool that was called. */
  readonly tool: string;
  /** The server: where it is, or its name where that says nothing. */
  readonly server: string;
  /** The protocol by which the task was made. */
  readonly generation: TaskGeneration;
}

/** Names the server of a client, as well as that is possible. */
function nameServer({ place, agreement }: ExtensionClient): string {
  return place ?? agreement.server?.name ?? "";
}

/** Makes the reference of a task. */
export function createRef(
  client: ExtensionClient,
  { id, generation }: Pick<TaskRef, "id" | "generation">,
  tool: string,
): TaskRef {
  return { id, tool, server: nameServer(client), generation };
}

/** Checks a reference that was kept. Throws a `UsageError` if it is none, or that of another server. */
export function checkRef(ref: TaskRef, client: ExtensionClient, wire: TaskWire | undefined): TaskWire {
  const given: unknown = ref;
  const isRef =
    isObject(given) && ["id", "tool", "server", "generation"].every((member) => typeof given[member] === "string");
  if (!isRef || given["id"] === "") {
    const shown = isObject(given) ? "an object that is none" : describeKind(given);
    throw new UsageError("INVALID_ARGUMENT", `\`resumeTask\` takes the \`ref\` of a task; got ${shown}.`);
  }
  const server = nameServer(client);
  if (ref.server !== server) {
    const message = `The task is one of ${JSON.stringify(ref.server.slice(0, 200))}, and this client is connected to ${JSON.stringify(server)}.`;
    throw new UsageError("INVALID_ARGUMENT", message);
  }
  if (wire?.generation === ref.generation) return wire;
  const message = `The task was made in revision ${ref.generation.slice(0, 40)}, and this server has no such tasks (any more): revision ${client.agreement.revision} was agreed on.`;
  throw new UsageError("UNSUPPORTED", message);
}
