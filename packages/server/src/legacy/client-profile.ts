import type { ClientCapabilities, Implementation } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";

/** The most characters of JSON that are kept of `clientInfo`, and of the capabilities. */
export interface ProfileLimits {
  readonly info: number;
  readonly capabilities: number;
}

const LIMITS: ProfileLimits = { info: 2048, capabilities: 4096 };

/** The members of `clientInfo`, the most important first. Unknown ones follow. */
const INFO_ORDER = ["name", "version", "title", "websiteUrl", "description", "icons"];

/** The members of the capabilities, the most important first. */
const CAPABILITIES_ORDER = ["elicitation", "sampling", "roots", "extensions", "experimental", "tasks"];

/** Capabilities that are maps. They keep the entries that fit. */
const MAPS: readonly string[] = ["extensions", "experimental"];

/**
 * The name and the capabilities that a legacy client gives in `initialize`, as far as they fit. Each session keeps them,
 * and there may be thousands, so they are kept as text: objects can take ten times the memory.
 */
export class ClientProfile {
  readonly #info: string;
  readonly #capabilities: string;

  /** Throws an `RpcError` if the name and version alone are too long. */
  constructor(info: Implementation, capabilities: ClientCapabilities, limits: ProfileLimits = LIMITS) {
    const members = pickMembers(info, INFO_ORDER, limits.info);
    for (const name of ["name", "version"]) if (!members.has(name)) throw tooLong(name, limits.info);
    this.#info = joinMembers(members);
    this.#capabilities = joinMembers(pickMembers(capabilities, CAPABILITIES_ORDER, limits.capabilities, MAPS));
  }

  get info(): Implementation {
    return JSON.parse(this.#info) as Implementation;
  }

  get capabilities(): ClientCapabilities {
    return JSON.parse(this.#capabilities) as ClientCapabilities;
  }
}

/** Picks members whose JSON fits into `max` characters together, those named in `order` first. Returns each with its JSON. */
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

/** The JSON text of an object. Joined at once, because text that is concatenated step by step keeps all its pieces. */
function joinMembers(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

function tooLong(name: string, max: number): Error {
  return invalidParams(
    `\`clientInfo.${name}\` is too long: \`name\` and \`version\` may have ${max} characters of JSON together.`,
  );
}
