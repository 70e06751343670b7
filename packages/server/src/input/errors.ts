import { ToolError } from "../errors.ts";

/** The user was asked and said no (`decline`), or walked away (`cancel`). Thrown by `ctx.elicit`. */
export class InputDeclined extends ToolError {
  override readonly name: string = "InputDeclined";
  override readonly code: string = "INPUT_DECLINED";
  readonly action: "decline" | "cancel";

  constructor(action: "decline" | "cancel") {
    super(
      action === "decline"
        ? "The user declined to answer, so this was not done."
        : "The user closed the question without an answer, so this was not done.",
    );
    this.action = action;
  }
}

/**
 * Rejects a question that is not answered yet, so that the handler ends: its `finally` blocks run, and nothing after
 * the question does. The client then hears the question, and its answer starts the handler again. A handler that
 * catches everything should let this one pass.
 */
export class InputRequired extends Error {
  override readonly name: string = "InputRequired";

  constructor() {
    super("The client has to answer first. The handler will run again with the answer: let this pass.");
  }
}
