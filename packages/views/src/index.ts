/**
 * What runs in a view: a typed bridge to the host that shows it, for any framework.
 *
 * @packageDocumentation
 */
export { ViewError } from "./messages/message.ts";
export type { ContainerDimensions, DisplayMode, HostCapabilities, HostContext, HostStyles } from "./model/context.ts";
export type { StyleVariable } from "./model/style-variables.ts";
export { applyTheme } from "./theme/apply-theme.ts";
export { connectView, type ConnectViewOptions } from "./view/connect-view.ts";
export type { InputOf, OutputOf, ToolsOf, TypedTool, ViewCallArguments, ViewResult, ViewState } from "./view/types.ts";
export type { Greeting, View } from "./view/view.ts";
