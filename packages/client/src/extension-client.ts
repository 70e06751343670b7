import { type CallToolResult, type JsonValue, ProtocolViolation, type Tool, UsageError } from "@toolwire/protocol";
import { servesMethod } from "@toolwire/protocol/internal";
import type { RequestOptions } from "./call-options.ts";
import { type Calls, NO_OPTIONS } from "./calls/calls.ts";
import type { ToolCatalog } from "./catalog/catalog.ts";
import type { Link } from "./connection/link.ts";
import type { DiagnosticListener } from "./diagnostics.ts";
import type {
  ClientExtension,
  ExtensionAgreement,
  ExtensionClient,
  ExtensionSubscription,
  TopicListener,
} from "./extensions/extension.ts";
import { declaredSettings } from "./extensions/extension-set.ts";
import { answerUnchecked } from "./input/answer.ts";
import type { Inputs } from "./input/handlers.ts";
import { copyJson } from "./messages/json.ts";
import { untilAborted } from "./waiting.ts";

/** The parts of a client that its extensions use. */
export interface ExtensionClientParts {
  readonly link: Link;
  readonly calls: Calls;
  readonly catalog: ToolCatalog;
  readonly inputs: Inputs;
  readonly place: string | undefined;
  readonly diagnose: DiagnosticListener;
  /** Sends a request through all middleware. */
  request(method: string, params: object, options: RequestOptions): Promise<object>;
  /** Subscribes to one topic of `subscriptions/listen`. */
  subscribe(topic: string, wanted: JsonValue, listener: TopicListener): Promise<ExtensionSubscription>;
}

/** Makes the client as one of its extensions sees it. */
export function createExtensionClient(extension: ClientExtension, parts: ExtensionClientParts): ExtensionClient {
  const { link, calls, catalog, inputs } = parts;
  const agreement = (): NonNullable<Link["agreement"]> => link.agreement!;
  /** The generation of the catalog that was listed completely: tools that it lacks do not exist. */
  let listed: number | undefined;
  return {
    get agreement(): ExtensionAgreement {
      const { revision, era, server, capabilities } = agreement();
      return {
        revision,
        era: era.name,
        server: copyJson(server),
        capabilities: copyJson(capabilities),
        settings: copyJson(declaredSettings(extension, capabilities.extensions)),
      };
    },
    place: parts.place,
    closed: link.closed,
    over: link.over,
    request: (method, params, options = NO_OPTIONS) => parts.request(method, { ...params }, options),
    async findTool(name, { signal } = NO_OPTIONS): Promise<Tool | undefined> {
      if (catalog.get(name) === undefined && listed !== catalog.generation) {
        const { generation } = catalog;
        await untilAborted(calls.tools.refresh(), signal);
        listed = generation;
      }
      return copyJson(catalog.get(name)?.tool);
    },
    answer(question, { request, signal }) {
      const context = { server: agreement().server, request, signal };
      const complain = (problem: string): Error =>
        new ProtocolViolation("INVALID_RESULT", `A question of the server breaks the protocol: it ${problem}.`);
      return untilAborted(answerUnchecked(inputs, question, context, complain), signal);
    },
    async checkResult(tool, result, options = NO_OPTIONS): Promise<CallToolResult> {
      return (await calls.checkResult(tool, result, options)) as CallToolResult;
    },
    async subscribe(topic, wanted, listener): Promise<ExtensionSubscription> {
      if (extension.topics?.includes(topic) !== true) {
        const message = `The extension ${extension.id} has no topic ${JSON.stringify(topic)}: list it in \`topics\`.`;
        throw new UsageError("INVALID_ARGUMENT", message);
      }
      const { revision } = agreement();
      if (!servesMethod(revision, "subscriptions/listen", "client-to-server")) {
        throw new UsageError("UNSUPPORTED", `There are no topics to subscribe to in revision ${revision}.`);
      }
      return parts.subscribe(topic, wanted, listener);
    },
    diagnose: parts.diagnose,
  };
}
