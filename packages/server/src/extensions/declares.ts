import type { ClientCapabilities } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";

/** Whether a client declares an extension. */
export function declares({ extensions }: ClientCapabilities, id: string): boolean {
  return isObject(extensions) && Object.hasOwn(extensions, id) && isObject(extensions[id]);
}
