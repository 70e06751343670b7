import type { ViewAction } from "@toolwire/views/host";
import { find } from "./find.ts";

/** Those who wait for the dialog, which asks about one thing after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Asks the user about something that a view wants. What a view or a server has written is shown as text only. */
export function askUser(action: ViewAction, signal: AbortSignal): Promise<boolean> {
  const answer = last.then(() => ask(action, signal));
  last = answer;
  return answer;
}

function ask(action: ViewAction, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const dialog = find("approval", HTMLDialogElement);
  const [question, details] = describe(action);
  find("question").textContent = question;
  find("details").textContent = details;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    const answered = new AbortController();
    // A view that is gone needs no answer.
    signal.addEventListener("abort", () => dialog.close("no"), { signal: answered.signal });
    dialog.addEventListener(
      "close",
      () => {
        answered.abort();
        resolve(dialog.returnValue === "yes");
      },
      { signal: answered.signal },
    );
  });
}

function describe(action: ViewAction): readonly [question: string, details: string] {
  if (action.kind === "callTool") {
    return [
      `The view wants to call “${action.tool.title ?? action.tool.name}”.`,
      JSON.stringify(action.arguments, undefined, 2),
    ];
  }
  if (action.kind === "openLink") return ["The view wants to open a page.", action.url];
  if (action.kind === "readResource") return ["The view wants to read a resource.", action.uri];
  return ["The view wants to write in the conversation.", textOf(action.content)];
}

/** The text of content blocks. */
export function textOf(content: readonly { readonly type: string }[]): string {
  return content.map((block) => ("text" in block ? String(block.text) : `[${block.type}]`)).join("\n");
}
