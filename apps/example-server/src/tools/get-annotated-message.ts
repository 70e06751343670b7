import { image, text, tool } from "@toolwire/server";
import { z } from "zod";
import { TINY_IMAGE } from "../media/tiny-image.ts";
import { READ_ONLY } from "./hints.ts";

/** Each kind of message with whom it is for, and how much it matters. */
const MESSAGES = {
  error: text("Error: the operation failed.", { annotations: { priority: 1, audience: ["user", "assistant"] } }),
  success: text("The operation succeeded.", { annotations: { priority: 0.7, audience: ["user"] } }),
  debug: text("Debug: 95 of 100 look-ups were answered from the cache.", {
    annotations: { priority: 0.3, audience: ["assistant"] },
  }),
};

export const getAnnotatedMessage = tool({
  title: "Annotated message",
  description: "Answers with content that says whom it is for, and how much it matters.",
  input: z.object({
    messageType: z.enum(["error", "success", "debug"]).describe("Which kind of message"),
    includeImage: z.boolean().default(false).describe("Whether to add a picture"),
  }),
  annotations: READ_ONLY,
  run({ messageType, includeImage }) {
    const message = MESSAGES[messageType];
    if (!includeImage) return message;
    return [message, image(TINY_IMAGE, "image/png", { annotations: { priority: 0.5, audience: ["user"] } })];
  },
});
