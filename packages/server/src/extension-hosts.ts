/** What a server does for its extensions, beyond what they add to requests. */
import { UsageError, type JsonObject, type NotificationMessage } from "@toolwire/protocol";
import { callListener } from "@toolwire/protocol/internal";
import type { ServerExtension } from "./define/extension.ts";
import type { ExtensionHost } from "./define/extension-host.ts";
import type { Era } from "./eras/era.ts";
import { createLastingSeal } from "./input/text-seal.ts";
import { declares } from "./methods/added-methods.ts";
import type { Origin } from "./origin.ts";
import type { Definition } from "./registry/definition.ts";
import { RequestContext } from "./request/context.ts";

/** Makes the host of an extension. `call` calls a tool for a client that does not wait. */
export function createExtensionHost(
  { id, topics = {} }: ServerExtension,
  definition: Definition,
  call: ExtensionHost["call"],
): ExtensionHost {
  return {
    name: definition.info.name,
    version: definition.info.version,
    createSeal: (purpose) => createLastingSeal(definition, `${id} ${purpose}`),
    publish: (topic, event) => {
      if (!Object.hasOwn(topics, topic)) {
        throw new UsageError("INVALID_ARGUMENT", `extension "${id}" has no topic "${topic}" to publish to.`);
      }
      definition.subscriptions.announce({ topic, event });
    },
    call,
    ask: async (context, question) => RequestContext.requestOf(context).askNow(question),
    diagnose: (event) => definition.diagnose(event),
  };
}

/** Passes a notification on to the extension that knows it, if the client declares that. */
export function tellExtension(
  definition: Definition,
  eras: readonly Era[],
  message: NotificationMessage,
  origin: Origin,
): void {
  const added = definition.extensions?.findNotification(message.method);
  if (added === undefined) return;
  const { extension, hear } = added;
  const capabilities = eras.flatMap((era) => era.capabilitiesOf(message, origin) ?? []).at(0);
  if (capabilities === undefined || !declares(capabilities, extension.id)) return;
  callListener(
    () => hear((message.params ?? {}) as JsonObject, { principal: origin.principal }),
    (error) => definition.diagnose({ level: "error", message: `${message.method} was not handled.`, error }),
  );
}
