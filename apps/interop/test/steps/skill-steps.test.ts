import { expect, test } from "vitest";
import { runSkillSteps, SKILL, type SkillDriver } from "../../src/steps/skill-steps.ts";

const refuse = (): Promise<never> => Promise.reject(new Error("refused"));

/** A client that does everything right. */
const driver: SkillDriver = {
  list: async () => [{ uri: SKILL.uri, description: SKILL.description }],
  load: (uri) => (uri === SKILL.uri ? Promise.resolve(SKILL.body) : refuse()),
  read: (_uri, file) => {
    if (file === "mails/confirmation.md") return Promise.resolve({ text: SKILL.mail, bytes: Buffer.from(SKILL.mail) });
    return file === "logo.png" ? Promise.resolve({ bytes: SKILL.picture }) : refuse();
  },
  listFolder: async (uri) =>
    uri.endsWith("mails") ? [`${uri}/confirmation.md`] : [`${uri}/SKILL.md`, `${uri}/logo.png`, `${uri}/mails`],
};

const passed = {
  list: "passed",
  load: "passed",
  read: "passed",
  folder: "passed",
  unlisted: "passed",
  unknown: "passed",
};

test("a client that knows skills passes all steps", async () => {
  expect(await runSkillSteps(driver, { without: [] })).toEqual(passed);
});

test("steps that one side cannot do are left out", async () => {
  expect(await runSkillSteps(driver, { without: ["folder"] })).toEqual({ ...passed, folder: "impossible" });
});

test("bytes that were changed on the way fail the step", async () => {
  const bytes = new Uint8Array([...SKILL.picture.slice(0, -1), 1]);
  const changed: SkillDriver = {
    ...driver,
    read: (uri, file) => (file === "logo.png" ? Promise.resolve({ bytes }) : driver.read(uri, file)),
  };

  const { read } = await runSkillSteps(changed, { without: [] });
  expect(read).toEqual({ failed: expect.stringContaining("the picture is") });
});

test("a client that reads what no skill lists fails the steps", async () => {
  const careless: SkillDriver = {
    ...driver,
    load: async () => SKILL.body,
    read: async () => ({ text: SKILL.mail, bytes: SKILL.picture }),
  };

  const { unlisted, unknown } = await runSkillSteps(careless, { without: [] });
  expect(unlisted).toEqual({ failed: expect.stringContaining("expected a refusal") });
  expect(unknown).toEqual({ failed: expect.stringContaining("expected a refusal") });
});
