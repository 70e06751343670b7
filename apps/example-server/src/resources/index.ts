import { compressedFile } from "./compressed-files.ts";
import { logo, welcome } from "./documents.ts";
import { heartbeatResource } from "./heartbeat-resource.ts";
import { blobResource, textResource } from "./numbered-resources.ts";

/** All resources by name. */
export const resources = {
  welcome,
  logo,
  heartbeat: heartbeatResource,
  "dynamic-text": textResource,
  "dynamic-blob": blobResource,
  "compressed-file": compressedFile,
};
