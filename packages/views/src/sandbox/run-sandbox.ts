import type { ViewCsp, ViewPermissions } from "@toolwire/protocol/views";
import type { allowAttribute } from "../policy/permissions.ts";
import type { contentPolicy } from "../policy/content-policy.ts";
import type { createRateLimit } from "../messages/rate-limit.ts";
import type { findExcess } from "../messages/find-excess.ts";

/** What a sandbox page is told when it is made. */
export interface SandboxSettings {
  /** The origins of the hosts that may show views in it. */
  readonly hosts: readonly string[];
  /** Messages of a view per second, in the long run, and at once. */
  readonly messageRate: number;
  readonly messageBurst: number;
  /** The size that a message of a view may have, in characters. */
  readonly maxMessageSize: number;
}

/** Functions that {@link runSandbox} needs: it has no imports when it runs. */
export interface SandboxParts {
  readonly contentPolicy: typeof contentPolicy;
  readonly isContentSource: (text: unknown) => boolean;
  readonly allowAttribute: (permissions: ViewPermissions | undefined) => ReturnType<typeof allowAttribute>;
  readonly createRateLimit: typeof createRateLimit;
  readonly findExcess: typeof findExcess;
}

/**
 * What runs in a sandbox page: it shows one view in a frame of its own, which has no origin, and passes messages between it and the host
 * ("Sandbox proxy"). It is trusted by neither. It uses nothing but its parameters, because the page contains its text.
 */
export function runSandbox(settings: SandboxSettings, parts: SandboxParts): void {
  const reserved = "ui/notifications/sandbox-";
  const host = window.parent;
  /** The origin of the host, once it has spoken. */
  let hostOrigin: string | undefined;
  let frame: HTMLIFrameElement | undefined;
  let isOver = false;

  if (host === window) {
    document.body.textContent = "This page shows views inside of the application that it belongs to.";
    return;
  }
  if (settings.hosts.includes(location.origin)) {
    // Views could reach the host through the page if both had one origin.
    throw new Error(`A sandbox page must not have the origin of its host, ${location.origin}.`);
  }
  const allow = parts.createRateLimit(settings.messageRate, settings.messageBurst);

  window.addEventListener("message", (event) => {
    if (isOver) return;
    if (event.source === host) hearHost(event);
    else if (frame !== undefined && event.source === frame.contentWindow) hearView(event.data);
  });
  // A message to an origin that is not there is dropped by the browser.
  for (const origin of settings.hosts) host.postMessage(notification("proxy-ready", {}), origin);

  function hearHost(event: MessageEvent): void {
    if (!settings.hosts.includes(event.origin) || event.origin !== (hostOrigin ?? event.origin)) return;
    hostOrigin = event.origin;
    const message = event.data as { readonly method?: unknown; readonly params?: unknown } | null;
    const method = typeof message === "object" ? message?.method : undefined;
    if (typeof method !== "string" || !method.startsWith(reserved)) frame?.contentWindow?.postMessage(message, "*");
    else if (method === `${reserved}resource-ready`) show((message?.params ?? {}) as ResourceReady);
  }

  /** Shows a view, once. Its policy is that of this page, which its document inherits, and which also decides where its frame may go. */
  function show({ html, csp, permissions, sandbox }: ResourceReady): void {
    if (frame !== undefined || typeof html !== "string") return;
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = parts.contentPolicy(csp, parts.isContentSource);
    document.head.append(policy);
    const view = document.createElement("iframe");
    frame = view;
    view.title = document.title;
    // Without `allow-same-origin`, whatever the host asks for: views would share the origin of this page, and its storage.
    const wanted = typeof sandbox === "string" ? sandbox.split(/\s+/) : ["allow-scripts", "allow-forms"];
    const known = ["allow-scripts", "allow-forms", "allow-modals", "allow-downloads", "allow-popups"];
    view.setAttribute("sandbox", known.filter((each) => wanted.includes(each)).join(" "));
    view.setAttribute("allow", parts.allowAttribute(permissions));
    view.referrerPolicy = "no-referrer";
    view.srcdoc = html;
    let loads = 0;
    view.addEventListener("load", () => {
      loads += 1;
      if (loads > 1) end("The view left its document.");
    });
    document.body.append(view);
  }

  function hearView(message: unknown): void {
    if (!allow()) return end(`The view sent more than ${settings.messageRate} messages a second.`);
    const problem = parts.findExcess(message, settings.maxMessageSize);
    if (problem !== undefined) return end(`A message of the view cannot be passed on: ${problem}.`);
    const method = (message as { readonly method?: unknown } | null | undefined)?.method;
    if (typeof method === "string" && method.startsWith(reserved)) return;
    if (hostOrigin !== undefined) host.postMessage(message, hostOrigin);
  }

  /** Removes the view for good, and tells the host why. */
  function end(reason: string): void {
    isOver = true;
    frame?.remove();
    if (hostOrigin !== undefined) host.postMessage(notification("view-ended", { reason }), hostOrigin);
  }

  function notification(name: string, params: object): object {
    return { jsonrpc: "2.0", method: `${reserved}${name}`, params };
  }
}

/** The parameters of `ui/notifications/sandbox-resource-ready`. */
interface ResourceReady {
  readonly html?: unknown;
  readonly csp?: ViewCsp | undefined;
  readonly permissions?: ViewPermissions | undefined;
  readonly sandbox?: unknown;
}
