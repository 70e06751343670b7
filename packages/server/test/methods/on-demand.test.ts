import { expect, test } from "vitest";
import { createHttpHandler } from "../../src/http/index.ts";
import { accessControl, createServer, resource } from "../../src/index.ts";
import { modern, readJson } from "../http/client.ts";

// The only test in this file: once the methods are loaded, nobody waits for them any more.
test("middleware sees the list of resources also while what answers it is being loaded", async () => {
  const { fetch, close } = createHttpHandler(
    createServer({
      name: "notes",
      version: "1.0.0",
      middleware: [accessControl((subject) => subject.kind !== "resource" || subject.uri !== "notes://secret")],
      resources: {
        open: resource({ uri: "notes://open", read: () => "Read me." }),
        secret: resource({ uri: "notes://secret", read: () => "Do not." }),
      },
    }),
  );
  const { result } = await readJson(await fetch(new Request("http://localhost/mcp", modern("resources/list"))));
  expect(result).toMatchObject({ resultType: "complete", resources: [{ uri: "notes://open", name: "open" }] });
  await close();
});
