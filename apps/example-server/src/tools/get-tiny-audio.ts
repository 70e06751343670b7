import { audio, tool } from "@toolwire/server";
import { SHORT_TONE } from "../media/short-tone.ts";
import { READ_ONLY } from "./hints.ts";

export const getTinyAudio = tool({
  title: "Tiny audio",
  description: "Answers with a sound: the concert pitch, for a quarter of a second.",
  annotations: READ_ONLY,
  run: () => audio(SHORT_TONE, "audio/wav"),
});
