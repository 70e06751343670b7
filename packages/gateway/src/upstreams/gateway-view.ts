import { connect, type ClientOptions, type Tool } from "@toolwire/client";
import type { Clear, LoginByCaller, RelayEvent, UpstreamLogin, ViewOptions } from "@toolwire/relay";
import { createClearing } from "@toolwire/protocol/internal";
import { ToolError } from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";
import { ToolChanges } from "./accepted-tools.ts";
import { askForLogin } from "./ask-login.ts";
import { ListedFindings } from "./listed-findings.ts";
import { matchAny } from "./match-names.ts";
import { resolveTarget } from "./target.ts";
import type { UpstreamLogins, UpstreamOptions } from "./upstream.ts";
import { ViewCredentials } from "./view-credentials.ts";
import { inWholeLines } from "./whole-lines.ts";

const UNKNOWN_ACCEPTED = "It is not known which of its tools were accepted, because the storage does not answer";

/** An upstream as the gateway reaches it for one principal, or for all: with credentials, logins and accepted tools. */
export interface GatewayView extends ViewOptions {
  /** The tools that have changed since somebody accepted them. */
  readonly changes: ToolChanges;
  /** Has the next connection read its credentials anew. */
  reset(): void;
}

/** Makes the view of a principal, or of all callers. */
export function createView(
  name: string,
  config: UpstreamConfig,
  options: UpstreamOptions,
  principal: string | undefined,
): GatewayView {
  const tell = (level: RelayEvent["level"], message: string, error?: unknown): void =>
    options.report?.({ level, upstream: name, message, ...(error !== undefined && { error }) });
  const credentials = new ViewCredentials(config, options, principal);
  // Made anew each time: tokens come and go.
  const clear: Clear = (value, known = []) => createClearing(credentials.secrets, known).value(value);
  const store = config.perUser === true ? undefined : options.acceptedTools;
  const changes = new ToolChanges(store, (error) =>
    tell("warning", explain("Accepted tools could not be kept", error)),
  );
  const findings = new ListedFindings(tell, options.isPortable === true);
  return {
    changes,
    clear,
    reset: () => credentials.reset(),
    async connect(given) {
      const { target, options: transport } = await resolveTarget(
        config,
        options,
        principal,
        inWholeLines((text) => tell("debug", clear(`stderr: ${text}`))),
      );
      credentials.addHidden();
      const auth = await credentials.forConnection();
      const all: ClientOptions = {
        ...given,
        ...(options.info !== undefined && { info: options.info }),
        observe: options.observe,
      };
      if (typeof target !== "string") return connect(target, all);
      return connect(target, { ...all, ...transport, ...(auth !== undefined && { auth }) });
    },
    login: options.logins && createLogin(name, options.logins, credentials, principal),
    async inspect(tools) {
      const before = changes.names;
      try {
        await changes.look(tools);
      } catch (error) {
        // Without knowing what was accepted, a tool that has changed could not be told from one that has not.
        if (config.pin === true) throw new Error(UNKNOWN_ACCEPTED, { cause: error });
        tell("warning", explain(UNKNOWN_ACCEPTED, error), error);
      }
      const changed = changes.names.filter((tool) => !before.includes(tool));
      if (changed.length > 0) {
        tell("warning", `Tools have changed since they were accepted: ${changed.join(", ")}`);
      }
      findings.look(tools);
      options.onListed?.();
    },
    choose: chooseFrom(config, changes),
    admit(tool) {
      if (config.pin !== true || !changes.has(tool)) return;
      throw new ToolError(
        `Error: The tool ${tool} of upstream ${name} has changed, and waits for the operator to accept it`,
      );
    },
  };
}

/**
 * Chooses the tools that the configuration includes. As long as a changed one is withheld, it is shown as it was when it was
 * accepted.
 */
function chooseFrom({ pin, tools: { include, exclude } = {} }: UpstreamConfig, changes: ToolChanges) {
  const isWanted = include === undefined ? () => true : matchAny(include);
  const isUnwanted = matchAny(exclude ?? []);
  const isIncluded = ({ name }: Tool): boolean => isWanted(name) && !isUnwanted(name);
  let accepted: ReadonlyMap<string, Tool> = new Map();
  return (tools: readonly Tool[], listedFor: "all" | "askable"): readonly Tool[] => {
    // Pinned tools must be the same for all callers, because one person accepts them for all.
    if (listedFor === "askable") return pin === true ? [] : tools.filter(isIncluded);
    const shown = new Map<string, Tool>();
    // Of tools with the same name, the last one was accepted, so it is the one that is offered.
    for (const tool of tools) {
      const offered = pin === true && changes.has(tool.name) ? accepted.get(tool.name) : tool;
      if (offered !== undefined && isIncluded(offered)) shown.set(tool.name, offered);
    }
    accepted = shown;
    return [...shown.values()];
  };
}

function createLogin(
  upstream: string,
  logins: UpstreamLogins,
  credentials: ViewCredentials,
  principal: string | undefined,
): UpstreamLogin {
  return {
    async hasChanged(wasNeeded) {
      const hasChanged = await credentials.hasOtherLogin(wasNeeded);
      if (hasChanged) credentials.reset();
      return hasChanged;
    },
    // An admin logs in for all.
    byCaller: principal === undefined ? undefined : createCallerLogin(upstream, logins, credentials, principal),
  };
}

function createCallerLogin(
  upstream: string,
  logins: UpstreamLogins,
  credentials: ViewCredentials,
  principal: string,
): LoginByCaller {
  return {
    async logIn(ctx, scopes) {
      const before = await logins.stateOf(principal);
      await askForLogin(ctx, {
        upstream,
        link: () => logins.createLink(principal, scopes),
        async isDone() {
          const now = await logins.stateOf(principal);
          return now !== undefined && now !== before;
        },
      });
      credentials.reset();
    },
    tool: {
      listing: {
        name: `connect_${upstream}`,
        title: `Connect ${upstream}`,
        description:
          `The tools of ${upstream} need an account of the user. Call this to let the user log in: it shows a page, or returns a ` +
          "link to give to the user. The tools are listed afterwards.",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      },
      result: {
        content: [{ type: "text", text: `Your account at ${upstream} is connected. Its tools are listed now.` }],
      },
    },
  };
}

function explain(message: string, error: unknown): string {
  return error instanceof Error ? `${message}: ${error.message}` : message;
}
