import { createMetadataHandler } from "@toolwire/server/http";

// A stand-in for `protect({ … })`: this route sends its metadata, and nothing else.
const path = "/.well-known/oauth-protected-resource/mcp";
const text = '{"resource":"https://api.example.com/mcp"}';
const { fetch } = createMetadataHandler({
  metadata: { url: `https://api.example.com${path}`, path, text },
  admit: () => ({ refusal: { status: 401, message: "Nobody is let in." } }),
  challenge: () => [],
});

export const GET = fetch;
export const OPTIONS = fetch;
