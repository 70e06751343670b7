/** Logs in to the protected server in a browser, and calls its tools. Tokens are kept in a file for the next time. */
import { homedir } from "node:os";
import { join } from "node:path";
import { connect, textOf } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import { fileStore, loopbackLogin } from "@toolwire/client/auth/node";

const [url = "http://127.0.0.1:4000/mcp"] = process.argv.slice(2);
const auth = oauth({
  client: { name: "The example client" },
  login: loopbackLogin(),
  store: fileStore({ directory: join(homedir(), ".toolwire-example") }),
});
await using client = await connect(url, { auth });
console.log(textOf(await client.callTool("list_notes")));
// The first login was for reading only: this asks for more.
console.log(textOf(await client.callTool("add_note", { text: `Written on ${new Date().toISOString()}` })));
console.log(textOf(await client.callTool("list_notes")));
