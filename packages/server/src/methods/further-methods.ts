import { complete } from "./completion.ts";
import { getPrompt } from "./prompts.ts";
import { listResources, readResource } from "./resources.ts";
import { listen } from "./subscriptions.ts";
import type { FurtherMethods } from "./on-demand.ts";

/** The methods that servers with tools alone have no use for, in one part that is loaded when one is first called. */
export const furtherMethods: FurtherMethods = {
  complete,
  getPrompt,
  listen,
  listResources,
  readResource,
};
