import { resource } from "@toolwire/server";
import { heartbeat } from "../simulation/heartbeat.ts";

/** The URI to subscribe to. */
export const HEARTBEAT_URI = "demo://resource/heartbeat";

export const heartbeatResource = resource({
  uri: HEARTBEAT_URI,
  title: "Heartbeat",
  description: "A counter to subscribe to. The tool `toggle-subscriber-updates` makes it count.",
  mimeType: "application/json",
  read: () => JSON.stringify({ beats: heartbeat.beats }),
});
