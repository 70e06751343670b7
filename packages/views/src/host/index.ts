/**
 * What a host needs to show views: sandboxed frames, a channel with limits, and approval of what views want to do.
 *
 * @packageDocumentation
 */
export { contentPolicy } from "../policy/content-policy.ts";
export { mountView } from "./mount-view.ts";
export type {
  Awaitable,
  ModelContext,
  MountedView,
  MountViewOptions,
  ShownView,
  ViewAction,
  ViewEvent,
  ViewLimits,
  ViewServer,
} from "./options.ts";
export type { ContainerDimensions, DisplayMode, HostCapabilities, HostContext, HostStyles } from "../model/context.ts";
export type { StyleVariable } from "../model/style-variables.ts";
