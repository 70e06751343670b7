import type { ClientKind } from "./caller.ts";
import { connectSdk1 } from "./sdk-1.ts";
import { connectSdk2 } from "./sdk-2.ts";
import { connectToolwire } from "./toolwire.ts";

/** Ours waits long, because it notices by itself when an answer cannot come any more. */
const OURS_MS = 30_000;

/** All clients that make calls, more of them at a time where some wait in vain. `sdkTimeout` is how long the official SDKs wait. */
export function listClientKinds(sdkTimeout: number): readonly ClientKind[] {
  return [
    {
      title: "Toolwire",
      era: "legacy",
      atATime: 2,
      timeout: OURS_MS,
      connect: (url, listener) => connectToolwire(url, "legacy", listener),
    },
    { title: "SDK 1", era: "legacy", atATime: 6, timeout: sdkTimeout, connect: (url) => connectSdk1(url) },
    {
      title: "SDK 2",
      era: "legacy",
      atATime: 6,
      timeout: sdkTimeout,
      connect: (url) => connectSdk2(url, "legacy"),
    },
    {
      title: "Toolwire",
      era: "modern",
      atATime: 2,
      timeout: OURS_MS,
      connect: (url, listener) => connectToolwire(url, "modern", listener),
    },
    {
      title: "SDK 2",
      era: "modern",
      atATime: 6,
      timeout: sdkTimeout,
      connect: (url) => connectSdk2(url, "modern"),
    },
  ];
}
