/**
 * Interfaces that extensions add to. Whoever imports an extension sees its members in the options of `tool()` and in the context of
 * handlers:
 *
 * ```ts
 * declare module "@toolwire/server" {
 *   interface ToolMembers {
 *     readonly audience?: "staff" | "everybody" | undefined;
 *   }
 * }
 * ```
 */

/** Options of `tool()` that extensions add. All of them are optional. An extension lists their names in `toolMembers`. */
export interface ToolMembers {}

/** Members of the context of handlers that extensions add. An extension makes them in `context`. */
export interface ContextMembers {}
