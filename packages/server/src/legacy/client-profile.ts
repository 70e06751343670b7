import type { ClientCapabilities, Implementation } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";

/** How much of `clientInfo` is kept, in characters of JSON. */
const MAX_INFO = 2048;

/** How much of the capabilities is kept, in characters of JSON. */
const MAX_CAPABILITIES = 4096;

/** The members of `clientInfo`, in the order in which they get room. Unknown ones follow. */
const INFO_ORDER = ["name", "version", "title", "websiteUrl", "description", "icons"];

/** The same of capabilities. */
const CAPABILITIES_ORDER = ["elicitation", "sampling", "roots", "extensions", "experimental", "tasks"];

/** Capabilities that are maps: those of their entries that fit are kept. */
const MAPS: readonly string[] = ["extensions", "experimental"];

/**
 * What a legacy client says about itself in `initialize`, as far as it fits. It is kept for as long as the session, of which
 * there may be thousands, so it is kept as text: as objects, the same can take ten times the memory.
 */
export class ClientProfile {
  readonly #info: string;
  readonly #capabilities: string;

  /** Throws an `RpcError` if the name and version alone are too long. */
  constructor(info: Implementation, capabilities: ClientCapabilities) {
    const members = pickMembers(info, INFO_ORDER, MAX_INFO);
    for (const name of ["name", "version"]) if (!members.has(name)) throw tooLong(name);
    this.#info = joinMembers(members);
    this.#capabilities = joinMembers(pickMembers(capabilities, CAPABILITIES_ORDER, MAX_CAPABILITIES, MAPS));
  }

  get info(): Implementation {
    return JSON.parse(this.#info) as Implementation;
  }

  get capabilities(): ClientCapabilities {
    return JSON.parse(this.#capabilities) as ClientCapabilities;
  }
}

/** The members of an object whose JSON fits into so many characters, those named in `order` first: each with its JSON. */
function pickMembers(
  object: object,
  order: readonly string[],
  max: number,
  maps: readonly string[] = [],
): Map<string, string> {
  const picked = new Map<string, string>();
  const values = new Map<string, unknown>(Object.entries(object));
  // The braces.
  let room = max - 2;
  for (const name of new Set([...order, ...values.keys()])) {
    const value = values.get(name);
    if (value === undefined) continue;
    // A quoted name, a colon, and a comma.
    const valueRoom = room - JSON.stringify(name).length - 2;
    const text = maps.includes(name)
      ? joinMembers(pickMembers(value as object, [], valueRoom))
      : (JSON.stringify(value) as string | undefined);
    if (text === undefined || text.length > valueRoom) continue;
    picked.set(name, text);
    room = valueRoom - text.length;
  }
  return picked;
}

/** The JSON text of an object. Joined at once, because text that is put together piece by piece keeps all its pieces. */
function joinMembers(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

function tooLong(name: string): Error {
  return invalidParams(
    `\`clientInfo.${name}\` is too long: \`name\` and \`version\` may have ${MAX_INFO} characters of JSON together.`,
  );
}
