import { tool } from "@toolwire/server";
import { HEARTBEAT_URI } from "../resources/heartbeat-resource.ts";
import { heartbeat } from "../simulation/heartbeat.ts";
import { TOGGLE } from "./hints.ts";

export const toggleSubscriberUpdates = tool({
  title: "Toggle subscriber updates",
  description: `Makes the resource ${HEARTBEAT_URI} change once a second, or stops it. Who subscribes to it hears of that.`,
  annotations: TOGGLE,
  run: () =>
    heartbeat.toggle()
      ? `Subscriber updates are on: ${HEARTBEAT_URI} now changes once a second.`
      : "Subscriber updates are off.",
});
