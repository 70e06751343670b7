import { usePoll } from "./poll.ts";

/** Whether the configuration file lets admins start programs. `undefined` until it is known. */
export function useMachineAccess(): boolean | undefined {
  const { data } = usePoll<{ readonly config: { readonly admin?: unknown } }>("config", 3_600_000);
  if (data === undefined) return undefined;
  const { admin } = data.config;
  return typeof admin === "object" && admin !== null && Reflect.get(admin, "machineAccess") === true;
}
