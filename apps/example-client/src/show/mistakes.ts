import { ErrorCode, RpcError, type CallToolParams } from "@toolwire/protocol";
import { onAllLanes, textOf, type Act, type Stage } from "./act.ts";
import type { Lane } from "./lanes.ts";

/** How many answers of this act are errors, on each transport. */
export const PROVOKED_ERRORS = 3;

/** Shows errors and how they are reported: to the model those that it can correct, to the program those that it made. */
export const mistakes: Act = async (stage) => {
  const { presenter, checks } = stage;
  presenter.act(
    "Mistakes",
    "Wrong arguments are explained to the model, which can mend them. Unknown tools and methods are errors of the protocol.",
  );

  // The compiler would not let this through; a model may well try it.
  const badCall: CallToolParams = { name: "get-sum", arguments: { a: "forty", c: 2 } };
  const explanations = await onAllLanes(stage, async ({ client }) => {
    const result = await client.request("tools/call", badCall);
    return { isError: result.isError === true, text: textOf(result) };
  });
  expectAllSame(stage, "the explanation of a bad call", explanations);
  const [explanation] = explanations;
  checks.that("a bad call is a result for the model", explanation?.isError === true);
  checks.that(
    "the explanation names both arguments",
    /\ba\b.*\n.*\bb\b/.test(explanation?.text ?? ""),
    explanation?.text,
  );
  presenter.say(`tools/call ${JSON.stringify(badCall)}\n  isError: ${explanation?.text.replaceAll("\n", "\n  ")}`);

  await expectRefusal(stage, "tools/call", { name: "get-summ", arguments: {} }, ErrorCode.InvalidParams);
  await expectRefusal(stage, "tools/juggle", {}, ErrorCode.MethodNotFound);
};

/** Sends a request that has to be refused with this code over all transports, and shows how it was. */
async function expectRefusal(stage: Stage, method: string, params: object, code: number): Promise<void> {
  const refusals = await onAllLanes(stage, (lane) => catchRefusal(lane, method, params));
  const what = `${method} ${JSON.stringify(params)}`;
  expectAllSame(stage, `the refusal of ${what}`, refusals);
  stage.checks.same(`the code of the refusal of ${what}`, refusals[0]?.code, code);
  stage.presenter.say(`${what}\n  error ${refusals[0]?.code}: ${refusals[0]?.message}`);
}

async function catchRefusal(
  { client }: Lane,
  method: string,
  params: object,
): Promise<{ code?: number; message: string }> {
  try {
    await client.request(method, params);
    return { message: "It was answered." };
  } catch (error) {
    if (error instanceof RpcError) return { code: error.code, message: error.message };
    throw error;
  }
}

function expectAllSame({ lanes, checks }: Stage, what: string, values: readonly unknown[]): void {
  for (const [index, { name }] of lanes.entries()) checks.same(`${name}: ${what}`, values[index], values[0]);
}
