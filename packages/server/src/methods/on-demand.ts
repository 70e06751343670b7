import type { Handler } from "./routes.ts";

/** Handlers that are loaded on demand. */
export type FurtherMethods = Readonly<
  Record<"complete" | "getPrompt" | "listen" | "listResources" | "readResource", Handler>
>;

let methods: FurtherMethods | undefined;

/** Brings the methods along that are otherwise loaded on demand. */
export function bringFurtherMethods(brought: FurtherMethods): void {
  methods = brought;
}

/** A handler that is loaded when it is first needed. After that it is called directly: only the first request waits. */
export function onDemand(name: keyof FurtherMethods): Handler {
  return (call, params) => {
    if (methods !== undefined) return methods[name](call, params);
    return import("../parts/later.ts").then(({ furtherMethods }) => {
      bringFurtherMethods(furtherMethods);
      call.expectWanted();
      return furtherMethods[name](call, params);
    });
  };
}
