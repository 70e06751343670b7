import { prompt } from "@toolwire/server";

export const simplePrompt = prompt({
  title: "Simple prompt",
  description: "A prompt without arguments.",
  get: () => "Which tools does this server have, and what is each of them good for?",
});
