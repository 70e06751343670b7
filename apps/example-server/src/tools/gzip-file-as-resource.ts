import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { embeddedResource, resourceLink, tool } from "@toolwire/server";
import { z } from "zod";
import { fetchPublic } from "../fetching/fetch-public.ts";
import { compressedFiles } from "../resources/compressed-files.ts";

const compress = promisify(gzip);

export const gzipFileAsResource = tool({
  title: "Compress a file",
  description:
    "Compresses a file with gzip, and answers with a link to the result, or with the result itself. " +
    "Fetches at most 1 MiB, and only from the public internet.",
  input: z.object({
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, "expected 1 to 64 letters, digits, dots, dashes and underscores")
      .default("hello.txt.gz")
      .describe("Name of the compressed file"),
    data: z
      .url({ protocol: /^(?:https?|data)$/, error: "expected an http:, https: or data: URL" })
      .default("data:text/plain,Hello%20from%20Toolwire")
      .describe("The file: an address to fetch it from, or a data: URL that holds it"),
    outputType: z
      .enum(["resourceLink", "resource"])
      .default("resourceLink")
      .describe("resourceLink: an address to read it from; resource: the compressed file itself"),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  async run({ name, data, outputType }, { signal }) {
    const bytes = await compress(await load(new URL(data), signal));
    const uri = compressedFiles.add(name, bytes);
    const mimeType = "application/gzip";
    return outputType === "resource"
      ? embeddedResource({ uri, mimeType, blob: bytes })
      : resourceLink({ uri, mimeType, name, size: bytes.length });
  },
});

async function load(url: URL, signal: AbortSignal): Promise<Uint8Array> {
  if (url.protocol !== "data:") return fetchPublic(url, { signal });
  // Nothing of this reaches the network: `fetch` decodes what the address itself holds.
  const response = await fetch(url, { signal });
  return new Uint8Array(await response.arrayBuffer());
}
