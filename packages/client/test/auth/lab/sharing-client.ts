// A process that shares a file store with others: `node sharing-client.mjs URL DIRECTORY`. It calls a tool until it is told to
// stop by the end of its input, and prints a line for each call: "ok", or the code of the error. It can log nobody in.

import { connect, textOf } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import { fileStore } from "@toolwire/client/auth/node";

const [url = "", directory = ""] = process.argv.slice(2);
const input = { isOver: false };
process.stdin.once("end", () => {
  input.isOver = true;
});
process.stdin.resume();

const login = {
  redirectUri: "http://127.0.0.1:33418/callback",
  authorize: async (): Promise<never> => {
    console.log("LOGGED OUT");
    throw new Error("There is no user.");
  },
};
const auth = oauth({ client: { name: "sharing" }, login, store: fileStore({ directory }) });
try {
  const client = await connect(url, { auth });
  while (!input.isOver) {
    try {
      console.log(textOf(await client.callTool("whoami")) === "alice" ? "ok" : "WRONG USER");
    } catch (error) {
      console.log(String((error as { code?: unknown }).code ?? error));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await client.close();
} catch (error) {
  console.log(`NOT CONNECTED ${String(error)}`);
}
