import { argsPrompt } from "./args-prompt.ts";
import { completablePrompt } from "./completable-prompt.ts";
import { resourcePrompt } from "./resource-prompt.ts";
import { simplePrompt } from "./simple-prompt.ts";

/** All prompts by name. */
export const prompts = {
  "simple-prompt": simplePrompt,
  "args-prompt": argsPrompt,
  "completable-prompt": completablePrompt,
  "resource-prompt": resourcePrompt,
};
