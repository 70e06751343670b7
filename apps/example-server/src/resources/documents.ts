import { resource } from "@toolwire/server";
import { TINY_IMAGE } from "../media/tiny-image.ts";

export const welcome = resource({
  uri: "demo://resource/static/document/welcome.md",
  title: "Welcome",
  description: "What this server has to show.",
  mimeType: "text/markdown",
  annotations: { audience: ["user", "assistant"], priority: 0.8 },
  read: () => `# Welcome

This server shows every feature of the Model Context Protocol, and does no real work.

- Call \`echo\` or \`get-sum\` to see a tool answer.
- Call \`trigger-long-running-operation\` to see progress, and cancel it.
- Subscribe to \`demo://resource/heartbeat\`, and call \`toggle-subscriber-updates\`.
- Get the prompt \`completable-prompt\`, and let its arguments be completed.
`,
});

export const logo = resource({
  uri: "demo://resource/static/image/logo.png",
  title: "Logo",
  description: "A tiny picture: a resource that is not text.",
  mimeType: "image/png",
  size: TINY_IMAGE.length,
  read: () => TINY_IMAGE,
});
