import { ToolError } from "../errors.ts";

/** The user declined a question (`decline`), or dismissed it (`cancel`). Thrown by `ctx.elicit`. */
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
 * Ends a handler whose question is not answered yet. Its `finally` blocks run, and nothing after the question does. The
 * client then gets the question, and its answer starts the handler again. If your handler catches errors, rethrow this
 * one.
 */
export class InputRequired extends Error {
  override readonly name: string = "InputRequired";

  constructor() {
    super("The client has to answer first. The handler will run again with the answer: let this pass.");
  }
}
