import { prompt } from "@toolwire/server";

export const argsPrompt = prompt({
  title: "Prompt with arguments",
  description: "Asks about the weather of a city; its state may be left out.",
  arguments: {
    city: { description: "Name of the city", required: true },
    state: { description: "Name of the state" },
  },
  get: ({ city, state }) => `What is the weather like in ${state === undefined ? city : `${city}, ${state}`}?`,
});
