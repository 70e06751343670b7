import { complete } from "./complete.ts";
import { getPrompt } from "./get-prompt.ts";
import { listResources } from "./list-resources.ts";
import { listen } from "./listen.ts";
import type { FurtherMethods } from "./on-demand.ts";
import { readResource } from "./read-resource.ts";

/** The methods that servers with tools alone have no use for, in one part that is loaded when one is first called. */
export const furtherMethods: FurtherMethods = {
  complete,
  getPrompt,
  listen,
  listResources,
  readResource,
};
