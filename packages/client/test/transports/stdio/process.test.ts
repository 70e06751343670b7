import { connect } from "@toolwire/client";
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { startError } from "../../../src/transports/stdio/process.ts";

it.each(["EFTYPE", "UNKNOWN"])("startError() explains what Windows means by %s", (code) => {
  const cause = Object.assign(new Error(`spawn ${code}`), { code });
  const error = startError({ command: "C:\\server.mjs" }, cause);
  expect(error).toMatchObject({ code: "CONNECT_FAILED", cause });
  expect(error.message).toContain('"C:\\\\server.mjs" is not a program that Windows can run');
  expect(error.message).toContain("the script goes into `args`");
});

it.each([
  ["there is no such program", { command: "no-such-program", args: ["--token", "s3cret"] }],
  ["an argument cannot be passed on", { command: process.execPath, args: ["--token", "s3cret\0"] }],
  ["a variable cannot be passed on", { command: process.execPath, env: { TOKEN: "s3cret\0" } }],
])("startError() keeps secrets to itself if %s", async (_, target) => {
  const error: unknown = await connect(target).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "CONNECT_FAILED", cause: { code: expect.stringMatching(/^E/) as string } });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("s3cret");
});

it("startError() tells what the system said", async () => {
  const error: unknown = await connect({ command: "no-such-program" }).catch((reason: unknown) => reason);
  const cause = { code: "ENOENT", syscall: "spawn no-such-program", errno: expect.any(Number) as number };
  expect(error).toMatchObject({ cause });
});
