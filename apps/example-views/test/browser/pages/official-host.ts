/** A host that is written with the official package. It shows views in our sandbox page. */
import { AppBridge, PostMessageTransport, type McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";

/** What tests use by `page.evaluate`. */
export interface OfficialHost {
  show(html: string, sandbox: string, csp?: Record<string, string[]>): Promise<void>;
  change(context: McpUiHostContext): void;
  end(): Promise<unknown>;
  readonly recorded: unknown[];
}

const recorded: unknown[] = [];
let bridge: AppBridge | undefined;

globalThis.official = {
  recorded,
  async show(html, sandbox, csp) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    const ready = new Promise<void>((resolve) => {
      addEventListener("message", function listen({ data, source }) {
        const { method } = data as { method?: string };
        if (source !== frame.contentWindow || method !== "ui/notifications/sandbox-proxy-ready") return;
        removeEventListener("message", listen);
        resolve();
      });
    });
    frame.src = sandbox;
    document.getElementById("views")?.append(frame);
    await ready;
    const made = new AppBridge(
      null,
      { name: "official-host", version: "1.0.0" },
      { serverTools: {}, openLinks: {}, logging: {} },
      { hostContext: { theme: "dark", displayMode: "inline", availableDisplayModes: ["inline"] } },
    );
    bridge = made;
    made.oncalltool = async (params) => {
      recorded.push(["call", params.name, params.arguments]);
      return {
        content: [{ type: "text", text: "called" }],
        structuredContent: { year: 2024, currency: "EUR", months: [] },
      };
    };
    made.addEventListener("sizechange", ({ height }) => {
      if (height !== undefined) frame.style.height = `${height}px`;
      recorded.push(["size"]);
    });
    const begun = new Promise<void>((resolve) => made.addEventListener("initialized", () => resolve()));
    await made.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
    await made.sendSandboxResourceReady({ html, ...(csp && { csp }) });
    await begun;
    await made.sendToolInput({ arguments: { year: 2025 } });
    await made.sendToolResult({
      content: [{ type: "text", text: "sales" }],
      structuredContent: { year: 2025, currency: "EUR", months: [{ month: "Jan", amount: 3 }] },
    });
  },
  change: (context) => bridge?.setHostContext(context),
  end: async () => bridge?.teardownResource({}),
};

declare global {
  var official: OfficialHost;
}
