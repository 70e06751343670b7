import { resource, type ResourceDefinition } from "@toolwire/server";
import { PIXEL } from "./samples.ts";

/** The resources that the suite reads and watches. */
export const resources = {
  "static-text": resource({
    uri: "test://static-text",
    description: "Text that never changes",
    mimeType: "text/plain",
    read: () => "This is the content of the static text resource.",
  }),
  "static-binary": resource({
    uri: "test://static-binary",
    description: "A picture that never changes",
    mimeType: "image/png",
    read: () => Buffer.from(PIXEL, "base64"),
  }),
  "watched-resource": resource({
    uri: "test://watched-resource",
    description: "A resource to subscribe to",
    mimeType: "text/plain",
    read: () => "Watch me.",
  }),
  template: resource({
    template: "test://template/{id}/data",
    description: "Data by id",
    mimeType: "application/json",
    read: ({ id }) => JSON.stringify({ id, data: `Data for ${id}` }),
  }),
} as const satisfies { [name: string]: ResourceDefinition };
