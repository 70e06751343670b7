import type { ViewPermissions } from "@toolwire/protocol/views";

/** The names that `<iframe allow>` has for permissions of views. */
const FEATURES = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
} as const;

/** The attribute `allow` of a frame that has these permissions. Frames that are sandboxed have no origin to name, hence `*`. */
export function allowAttribute(permissions: ViewPermissions = {}): string {
  return Object.entries(FEATURES)
    .filter(([name]) => permissions[name as keyof ViewPermissions] !== undefined)
    .map(([, feature]) => `${feature} *`)
    .join("; ");
}
