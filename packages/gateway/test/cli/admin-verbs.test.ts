import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { createGateway } from "../../src/create-gateway.ts";
import type { Gateway } from "../../src/gateway.ts";
import { createCallId } from "../../src/log/call-id.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { seedCalls } from "../admin/fixture/seeded-calls.ts";

const TOKEN = "admin-token-for-these-tests";

let api: Server;
let gateway: Gateway;
let folder: string;
/** The body of the last request to the API. */
let received = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwire-cli-"));
  api = createServer((request, response) => {
    received = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    response.writeHead(request.url === "/London" ? 200 : 404, { "content-type": "application/json" });
    response.end(request.url === "/London" ? '{"temp_C":"12"}' : '{"message":"City not found"}');
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const { port } = api.address() as AddressInfo;
  const gone = { command: process.execPath, args: ["-e", "console.error('no license'); process.exit(3)"] };
  gateway = await createGateway(
    {
      version: 1,
      network: { allow: ["127.0.0.1"] },
      admin: { token: "${env:TOKEN}" },
      servers: {
        weather: {
          tools: {
            get_weather: {
              description: "Current weather\u001b[31m of a city",
              request: { method: "GET", url: `http://127.0.0.1:${port}/{city}` },
              input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
            },
          },
        },
        broken: { upstreams: { gone } },
        mixed: {
          upstreams: { gone },
          tools: {
            get_weather: {
              description: "Weather of some days",
              request: { method: "POST", url: `http://127.0.0.1:${port}/London` },
              input: {
                type: "object",
                properties: {
                  city: { type: "string" },
                  days: { type: "integer" },
                  tags: { type: "array", items: { type: "string" } },
                  place: { type: "object", properties: { lat: { type: "number" } } },
                },
                additionalProperties: false,
              },
            },
          },
        },
      },
    },
    { port: 0, adminPort: 0, env: { TOKEN }, storage: openMemoryStorage() },
  );
});

afterAll(async () => {
  await gateway.close();
  api.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly printed: string;
  readonly told: string;
}

async function run(argv: readonly string[], { input = "", env = {} as object, onPrint = () => {} } = {}): Promise<Ran> {
  const printed: string[] = [];
  const told: string[] = [];
  const code = await runCommandLine(COMMANDS, argv, {
    print: (line) => {
      printed.push(line);
      onPrint();
    },
    tell: (line) => told.push(line),
    readInput: () => Promise.resolve(input),
    env: { GATEWAY_ADMIN_TOKEN: TOKEN, TOOLWIRE_GATEWAY_ADMIN: gateway.adminUrl, ...env },
    isTerminal: false,
  });
  return { code, printed: printed.join("\n"), told: told.join("\n") };
}

describe("toolwire-gateway tools", () => {
  test("lists the tools of a server with their sizes, without what could recolour a terminal", async () => {
    const { code, printed } = await run(["tools", "weather"]);
    expect(code).toBe(0);
    expect(printed).toMatch(
      /^TOOL +STATUS +SOURCE +TOKENS +DESCRIPTION\nget_weather +active +http +\d+ +Current weather/,
    );
    expect(printed).not.toContain("\u001b");
  });

  test("prints schemas as JSON if it is told to", async () => {
    const { printed } = await run(["tools", "weather", "--json"]);
    expect(JSON.parse(printed)).toMatchObject([{ name: "get_weather", inputSchema: { required: ["city"] } }]);
  });

  test("fails with the reason of the gateway if there is no such server", async () => {
    const { code, told } = await run(["tools", "wether"]);
    expect(code).toBe(1);
    expect(told).toBe('There is no server "wether". Did you mean "weather"?');
  });

  test("says which upstreams failed, and ends with 1 if there is nothing else", async () => {
    const { code, printed, told } = await run(["tools", "broken"]);
    expect([code, printed]).toEqual([1, ""]);
    expect(told).toMatch(/^! The upstream gone failed: .*exited with code 3/);
    expect(told).not.toContain("\n    at ");
    const mixed = await run(["tools", "mixed"]);
    expect(mixed).toMatchObject({ code: 0, printed: expect.stringContaining("get_weather") });
    expect(mixed.told).toMatch(/^! The upstream gone failed: /);
  });
});

describe("toolwire-gateway call", () => {
  test("prints the text of the result", async () => {
    await expect(run(["call", "weather", "get_weather", '{"city":"London"}'])).resolves.toEqual({
      code: 0,
      printed: '{"temp_C":"12"}',
      told: "",
    });
  });

  test("takes arguments as on other command lines, by the types of the tool's schema", async () => {
    const argv = ["call", "mixed", "get_weather", "city=012", "days=3", "tags=a", "tags=b", "place.lat=1.5"];
    await expect(run(argv)).resolves.toMatchObject({ code: 0 });
    expect(JSON.parse(received)).toEqual({ city: "012", days: 3, tags: ["a", "b"], place: { lat: 1.5 } });
    await run(["call", "mixed", "get_weather", 'tags:=["c"]', "days:=4"]);
    expect(JSON.parse(received)).toEqual({ tags: ["c"], days: 4 });
  });

  test.each([
    [["mixed", "get_weather", "days=soon"], 2, 'days must be integer, not "soon".'],
    [["mixed", "get_weather", "dais=3"], 2, 'The tool has no argument "dais". Did you mean "days"?'],
    [["mixed", "get_weather", "days:=x"], 2, "days:= must be followed by JSON"],
    [["mixed", "get_weather", "city=a", "Oslo"], 2, '"Oslo" is neither NAME=VALUE nor NAME:=JSON.'],
    [["mixed", "get_weather", "city=a", "city=b"], 2, "city is there twice"],
    [["mixed", "get_wether", "city=a"], 1, 'The server "mixed" has no tool "get_wether". Did you mean "get_weather"?'],
    [["weather", "get_wether", "{}"], 1, 'The server "weather" has no tool "get_wether". Did you mean "get_weather"?'],
    [["wether", "get_weather"], 1, 'There is no server "wether". Did you mean "weather"?'],
  ])("teaches what is wrong with %j", async (argv, code, reason) => {
    expect(await run(["call", ...argv])).toMatchObject({ code, told: expect.stringContaining(reason) });
  });

  test("reads long arguments from stdin", async () => {
    const { printed } = await run(["call", "weather", "get_weather", "-"], { input: '{"city":"London"}' });
    expect(printed).toBe('{"temp_C":"12"}');
  });

  test("ends with 1 if the tool failed, and prints what the model would read", async () => {
    const { code, printed } = await run(["call", "weather", "get_weather", '{"city":"Atlantis"}']);
    expect(code).toBe(1);
    expect(printed).toBe("Error: Upstream API returned 404 - City not found");
  });

  test.each([
    ["{city}", "must be JSON"],
    ["[]", "must be a JSON object"],
  ])("refuses the arguments %s as a mistake on the command line", async (args, reason) => {
    const { code, told } = await run(["call", "weather", "get_weather", args]);
    expect(code).toBe(2);
    expect(told).toContain(reason);
  });
});

describe("toolwire-gateway key", () => {
  test("makes a key that opens a server, shows it once, lists it without it, and revokes it", async () => {
    const made = await run(["key", "create", "ci", "--server", "weather", "--principal", "ada", "--expires", "30d"]);
    expect(made.printed).toMatch(/^twk_[\w-]{43}$/);
    const listed = await run(["key", "list", "--json"]);
    expect(listed.printed).not.toContain(made.printed);
    const [key] = JSON.parse(listed.printed) as { id: string; name: string; servers: string[] }[];
    expect(key).toMatchObject({ name: "ci", servers: ["weather"], principal: "ada" });
    // An id that began with a hyphen would be an option of `key revoke`.
    expect(key?.id).toMatch(/^key_[\da-f]{18}$/);
    expect((await run(["key", "list"])).printed).toMatch(
      /^ID +NAME +KEY +PRINCIPAL .*\nkey_\w+ +ci +twk_\S+ +ada +weather /,
    );
    expect((await run(["key", "revoke", "ci"])).told).toContain(`The key of the name "ci" has the id ${key?.id}.`);
    expect(gateway.storage.keys.find(made.printed)?.id).toBe(key?.id);
    await expect(run(["key", "revoke", key?.id ?? ""])).resolves.toMatchObject({ code: 0 });
    expect(gateway.storage.keys.find(made.printed)).toBeUndefined();
  });

  test("refuses a duration that is none, and a server that does not exist", async () => {
    await expect(run(["key", "create", "ci", "--expires", "soon"])).resolves.toMatchObject({ code: 2 });
    const { code, told } = await run(["key", "create", "ci", "--server", "nope"]);
    expect(code).toBe(1);
    expect(told).toBe('There is no server "nope". There are "weather", "broken", "mixed".');
  });

  test("says which verbs there are", async () => {
    const { code, told } = await run(["key", "make"]);
    expect(code).toBe(2);
    expect(told).toContain("`key create NAME`, `key list` or `key revoke ID`");
  });
});

describe("toolwire-gateway secret", () => {
  test("sets a secret from stdin, without the line break at its end, and never prints it", async () => {
    await expect(run(["secret", "set", "stripe"], { input: "sk_live_canary_42\n" })).resolves.toMatchObject({
      code: 0,
    });
    expect(gateway.storage.secrets.get("stripe")?.reveal()).toBe("sk_live_canary_42");
    const { printed } = await run(["secret", "list"]);
    expect(printed).toMatch(/^NAME +PRINCIPAL +SET AT\nstripe /);
    expect(printed).not.toContain("canary");
  });

  test("keeps the secrets of principals apart", async () => {
    await run(["secret", "set", "token", "--principal", "ada"], { input: "secret-of-ada" });
    expect(gateway.storage.secrets.get("token", "ada")?.reveal()).toBe("secret-of-ada");
    expect(gateway.storage.secrets.get("token")).toBeUndefined();
    await run(["secret", "remove", "token", "--principal", "ada"]);
    expect(gateway.storage.secrets.get("token", "ada")).toBeUndefined();
  });

  test("names the secret that a mistyped name means", async () => {
    await run(["secret", "set", "stripe"], { input: "sk_live_canary_42" });
    expect((await run(["secret", "remove", "strpie"])).told).toContain('Did you mean "stripe"?');
  });

  test("refuses an empty value", async () => {
    await expect(run(["secret", "set", "empty"], { input: "\n" })).resolves.toMatchObject({ code: 2 });
  });

  test("seals all secrets anew and says how many", async () => {
    const { code, told } = await run(["secret", "rotate"]);
    expect(code).toBe(0);
    expect(told).toMatch(/^\d+ secrets were sealed anew\.$/);
  });
});

describe("toolwire-gateway calls", () => {
  test("prints calls, the newest last, with their outcomes and errors", async () => {
    await run(["call", "weather", "get_weather", '{"city":"London"}']);
    await run(["call", "weather", "get_weather", '{"city":"Atlantis"}']);
    const { printed } = await run(["calls", "--limit", "2"]);
    const [first = "", second = ""] = printed.split("\n");
    expect(first).toMatch(/ ok +[\d.]+ ms {2}weather\/get_weather$/);
    expect(second).toMatch(/ tool-error .* Error: Upstream API returned 404 - City not found$/);
  });

  test("prints only the calls that a filter lets through, as JSON", async () => {
    const { printed } = await run(["calls", "--outcome", "tool-error", "--limit", "1", "--json"]);
    expect(JSON.parse(printed)).toMatchObject({ outcome: "tool-error", httpStatus: 404 });
  });

  test("follows calls as they happen, in a process of its own, until it is interrupted", async () => {
    await run(["call", "weather", "get_weather", '{"city":"London"}']);
    const main = join(import.meta.dirname, "../../src/main.ts");
    const child = spawn(
      process.execPath,
      ["--conditions=@toolwire/source", "--import", "tsx", main, "calls", "--follow", "--limit", "1"],
      {
        env: { ...process.env, GATEWAY_ADMIN_TOKEN: TOKEN, TOOLWIRE_GATEWAY_ADMIN: gateway.adminUrl },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toMatch(/ ok .*weather\/get_weather$/);
    await run(["call", "weather", "get_weather", '{"city":"Lemuria"}']);
    expect((await lines.next()).value).toMatch(/ tool-error .*City not found$/);
    const ended = once(child, "exit");
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  });

  test("says that the gateway has ended if it does so while its calls are followed", async () => {
    const other = await createGateway(
      { version: 1, admin: { token: "${env:TOKEN}" }, servers: {} },
      { port: 0, adminPort: 0, env: { TOKEN }, storage: openMemoryStorage() },
    );
    const { calls } = other.storage;
    const follow = calls.follow.bind(calls);
    const isFollowed = new Promise<void>((resolve) => {
      calls.follow = (listener) => {
        resolve();
        return follow(listener);
      };
    });
    const add = (): void => {
      for (const call of seedCalls(1)) calls.add({ ...call, id: createCallId(Date.now()), at: Date.now() });
    };
    add();
    // The second line is of a call that was logged after the first one was printed, so that it can only have come live.
    let lines = 0;
    let closed: Promise<void> | undefined;
    const onPrint = (): void => {
      lines += 1;
      if (lines === 1) void isFollowed.then(add);
      else closed = other.close();
    };
    const { code, told } = await run(["calls", "--follow", "--admin", other.adminUrl ?? ""], { onPrint });
    await closed;
    expect([lines, code]).toEqual([2, 1]);
    expect(told).toContain("The gateway has ended the list of calls");
  });

  test("refuses a limit that is none", async () => {
    await expect(run(["calls", "--limit", "many"])).resolves.toMatchObject({ code: 2 });
  });
});

describe("every verb that talks to a gateway", () => {
  test("says how to give the admin token if there is none", async () => {
    const { code, told } = await run(["tools", "weather"], { env: { GATEWAY_ADMIN_TOKEN: "" } });
    expect(code).toBe(2);
    expect(told).toContain("Set GATEWAY_ADMIN_TOKEN");
  });

  test("takes the token from a file, and is refused with a wrong one", async () => {
    const file = join(folder, "token");
    await writeFile(file, "wrong\n");
    const { code, told } = await run(["tools", "weather", "--token-file", file]);
    expect(code).toBe(1);
    expect(told).toContain("admin token");
    await writeFile(file, `${TOKEN}\n`);
    await expect(run(["tools", "weather", "--token-file", file])).resolves.toMatchObject({ code: 0 });
  });

  test("says that nothing answers where no gateway runs", async () => {
    const { code, told } = await run(["tools", "weather", "--admin", "http://127.0.0.1:9"]);
    expect(code).toBe(1);
    expect(told).toContain("No gateway answers at http://127.0.0.1:9");
  });

  test("refuses an address that is no URL", async () => {
    await expect(run(["tools", "weather", "--admin", "localhost:8081"])).resolves.toMatchObject({ code: 2 });
  });
});
