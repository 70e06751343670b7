import type { ViewPermissions } from "@toolwire/protocol/views";

/**
 * The attribute `allow` of a frame that has these permissions. Frames that are sandboxed have no origin to name, hence `*`.
 *
 * It uses nothing but its parameter, because sandbox pages contain its text.
 */
export function allowAttribute(permissions: ViewPermissions = {}): string {
  const features = {
    camera: "camera",
    microphone: "microphone",
    geolocation: "geolocation",
    clipboardWrite: "clipboard-write",
  } as const;
  return Object.entries(features)
    .filter(([name]) => permissions[name as keyof ViewPermissions] !== undefined)
    .map(([, feature]) => `${feature} *`)
    .join("; ");
}
