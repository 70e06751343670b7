/** Starts the example, and says how to try it. */
import { startExample } from "./example.ts";

const ports = { mcp: 4000, authorization: 4001, company: 4002 };
const example = await startExample(ports).catch((error: unknown) => {
  console.error(`The example cannot start. It needs the ports ${Object.values(ports).join(", ")} of this machine.`);
  console.error((error as Error).message);
  // What has started already would keep the process alive.
  process.exit(1);
});

console.log(`
The protected server is at      ${example.url}
Its authorization server is at  ${example.authorizationServer}
The company's login is at       ${example.companyLogin}

Log in from another terminal:
  node apps/example-auth/dist/client.js

Nothing of this can be reached from other machines. Ctrl+C ends it.
`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void example.close());
