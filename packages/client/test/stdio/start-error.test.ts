import { expect, it } from "vitest";
import { startError } from "../../src/stdio/start-error.ts";

it.each(["EFTYPE", "UNKNOWN"])("explains what Windows means by %s", (code) => {
  const cause = Object.assign(new Error(`spawn ${code}`), { code });
  const error = startError({ command: "C:\\server.mjs" }, cause);
  expect(error).toMatchObject({ code: "CONNECT_FAILED", cause });
  expect(error.message).toContain('"C:\\\\server.mjs" is not a program that Windows can run');
  expect(error.message).toContain("the script goes into `args`");
});
