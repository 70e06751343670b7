import { image, tool } from "@toolwire/server";
import { TINY_IMAGE } from "../media/tiny-image.ts";
import { READ_ONLY } from "./hints.ts";

export const getTinyImage = tool({
  title: "Tiny image",
  description: "Answers with a picture between two lines of text.",
  annotations: READ_ONLY,
  run: () => ["Here is a tiny picture:", image(TINY_IMAGE, "image/png"), "It is the logo of this server."],
});
