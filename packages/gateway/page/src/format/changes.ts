/** The share of calls that failed; `undefined` without calls. */
export function rateOf({ calls, failures }: { readonly calls: number; readonly failures: number }): number | undefined {
  return calls === 0 ? undefined : failures / calls;
}

/** By how much a figure has changed: 0.5 for half as much again. `undefined` if there is nothing to compare it with. */
export function changeOf(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined || before === 0 ? undefined : now / before - 1;
}
