/**
 * Interfaces that extensions add to. Whoever imports an extension sees its members in the options of `callTool()`, and in what
 * that returns:
 *
 * ```ts
 * declare module "@toolwire/client" {
 *   interface CallMembers {
 *     readonly receipt?: boolean | undefined;
 *   }
 *   interface CallOutcomes<Result> {
 *     readonly receipt: { readonly number: string; readonly result: Result };
 *   }
 * }
 * ```
 */

/** Options of `callTool()` that extensions add. All of them are optional. An extension lists their names in `callMembers`. */
export interface CallMembers {}

/**
 * What `callTool()` resolves to in place of a result, by the option of {@link CallMembers} that asks for it. An option without an entry
 * changes nothing about that.
 */
// oxlint-disable-next-line no-unused-vars -- extensions use the parameter in what they add
export interface CallOutcomes<Result> {}
