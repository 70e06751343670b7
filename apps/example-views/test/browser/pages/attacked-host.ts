/** A host that shows any document as a view, and writes down all that becomes of it. */
import {
  mountView,
  type HostContext,
  type MountedView,
  type MountViewOptions,
  type ShownView,
  type ViewEvent,
} from "@toolwire/views/host";
import type { Tool } from "@toolwire/protocol";

/** What a test asks for. */
export interface Shown {
  readonly html: string;
  readonly sandbox: string;
  readonly meta?: ShownView["meta"];
  readonly approves?: boolean;
  readonly limits?: MountViewOptions["limits"];
  readonly permissions?: MountViewOptions["permissions"];
  readonly context?: HostContext;
  /** The tool whose result is shown. */
  readonly tool?: Tool;
}

/** What has become of it. */
export interface Recorded {
  readonly actions: unknown[];
  readonly calls: unknown[];
  readonly events: ViewEvent[];
  readonly messages: unknown[];
  readonly contexts: unknown[];
  readonly logs: unknown[];
  readonly links: string[];
  /** All messages that reached the window of the host, from wherever. */
  heard: number;
  begun: boolean;
  closed: string | undefined;
}

/** What tests use by `page.evaluate`. */
export interface AttackedHost {
  show(shown: Shown): void;
  mounted: MountedView | undefined;
  recorded: Recorded;
}

const TOOLS: readonly Tool[] = [
  { name: "both", inputSchema: { type: "object" } },
  { name: "one_sales", inputSchema: { type: "object" } },
  { name: "for_views", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["app"] } } },
  { name: "for_model", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["model"] } } },
];

const host: AttackedHost = {
  mounted: undefined,
  recorded: empty(),
  show({ html, meta = {}, sandbox, approves = true, ...options }) {
    document.getElementById("views")?.replaceChildren();
    const recorded = empty();
    host.recorded = recorded;
    const mounted = mountView({
      ...options,
      container: document.getElementById("views") ?? document.body,
      sandbox,
      view: { uri: "ui://attack/view", html, meta },
      approve: (action) => {
        recorded.actions.push(action);
        return approves;
      },
      server: {
        findTool: (name) => TOOLS.find((tool) => tool.name === name),
        callTool: async (name, args) => {
          recorded.calls.push([name, args]);
          return { content: [{ type: "text", text: `called ${name}` }] };
        },
        readResource: async (uri) => ({ contents: [{ uri, text: "resource" }] }),
      },
      openLink: (url) => recorded.links.push(url),
      sendMessage: (content) => void recorded.messages.push(content),
      updateContext: (update) => void recorded.contexts.push(update),
      changeDisplayMode: (mode) => mode,
      onEvent: (event) => recorded.events.push(event),
      onLog: (level, data) => recorded.logs.push([level, data]),
    });
    host.mounted = mounted;
    mounted.ready.then(
      () => (recorded.begun = true),
      () => undefined,
    );
    void mounted.closed.then((reason) => (recorded.closed = reason ?? "closed by the host"));
  },
};

function empty(): Recorded {
  return {
    actions: [],
    calls: [],
    events: [],
    messages: [],
    contexts: [],
    logs: [],
    links: [],
    heard: 0,
    begun: false,
    closed: undefined,
  };
}

addEventListener("message", () => (host.recorded.heard += 1));

declare global {
  var attacked: AttackedHost;
}
globalThis.attacked = host;
