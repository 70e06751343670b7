import type { FormAnswer, FormHandler, InputContext } from "@toolwire/client";
import { hasFeature, type ElicitFormParams } from "@toolwire/protocol";
import { askForm } from "../asking/form-prompt.ts";
import { Patience } from "../asking/patience.ts";
import { isInteractive } from "../asking/terminal.ts";
import { onAllLanes, textOf, type Act } from "./act.ts";

const AUTOMATIC: FormAnswer = { action: "accept", content: { interpretation: "snake" } };

/** Answers the one question of the show. The server asks it over each transport, and one answer serves all. */
export class Respondent {
  /** How often the server has asked. */
  questions = 0;
  #answer: Promise<FormAnswer> | undefined;

  readonly handler: FormHandler = (form, context) => {
    this.questions += 1;
    return (this.#answer ??= this.#ask(form, context));
  };

  /** The answer to the question, once the server has asked. */
  get answer(): Promise<FormAnswer> | undefined {
    return this.#answer;
  }

  async #ask(form: ElicitFormParams, context: InputContext): Promise<FormAnswer> {
    if (!isInteractive()) return AUTOMATIC;
    const patience = new Patience();
    try {
      return await askForm(form, { ...context, signal: AbortSignal.any([context.signal, patience.signal]) });
    } catch (error) {
      if (!patience.signal.aborted) throw error;
      console.log();
      return AUTOMATIC;
    } finally {
      patience.end();
    }
  }
}

/** A tool that asks the user in the middle of its work. */
export function question(respondent: Respondent): Act {
  return async (stage) => {
    const { presenter, checks } = stage;
    const who = isInteractive()
      ? `The show goes on after ${Patience.seconds} seconds, unless you press a key.`
      : "There is no terminal here, so it is answered automatically.";
    presenter.act("A question to the user", `A tool asks back before it goes on, over each transport. ${who}`);
    const meanings = await onAllLanes(stage, async ({ name, client }) => {
      const report = textOf(await client.callTool("simulate-research-query", { topic: "python", ambiguous: true }));
      const canAsk = hasFeature(client.revision, "elicitation");
      const expected = canAsk ? describeAnswer(await respondent.answer) : `${FIRST_MEANING} (nobody could be asked)`;
      checks.that(`${name}: the report goes by the answer`, report.includes(`Understood as: ${expected}`), report);
      return expected;
    });
    const asking = stage.lanes.filter(({ client }) => hasFeature(client.revision, "elicitation"));
    checks.same("how often the server has asked", respondent.questions, asking.length);
    presenter.say(`"python" was understood as: ${meanings[0]}.`);
  };
}

/** The meaning of the topic that the tool assumes if it is not told. */
const FIRST_MEANING = "programming language";

function describeAnswer(answer: FormAnswer | undefined): string {
  if (answer?.action !== "accept") return `${FIRST_MEANING} (the user did not say)`;
  return String(answer.content?.["interpretation"]);
}
