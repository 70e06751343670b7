import type { BusListener } from "@toolwire/server/cluster";
import { describe, expect, it } from "vitest";
import { Inbox } from "../../src/bus/inbox.ts";
import { Requests } from "../../src/bus/requests.ts";

function listen(message: BusListener["message"]): BusListener {
  return { message, changes() {}, missed() {} };
}

describe("The inbox of a node", () => {
  it("handles a message once, and has the same reply for it later", async () => {
    let handled = 0;
    const inbox = new Inbox(new Set([listen(() => ++handled)]));
    const message = { id: "1", kind: "x", body: {} };
    const [first, second] = [inbox.receive(message, "a"), inbox.receive(message, "a")];
    expect(await first).toBe("1");
    // It was being handled: the reply is sent once.
    expect(await second).toBeUndefined();
    expect(await inbox.receive(message, "a")).toBe("1");
    expect(await inbox.receive(message, "b")).toBe("2");
  });

  it("forgets the oldest messages when there are too many, or their replies are too long", async () => {
    let handled = 0;
    const long = "x".repeat(1024 * 1024);
    const inbox = new Inbox(new Set([listen(({ body }) => ((handled += 1), body === "long" ? long : null))]));
    const receive = (id: string, body = "short"): Promise<unknown> => inbox.receive({ id, kind: "x", body }, "a");
    await receive("first");
    for (let number = 0; number < 10_000; number++) await receive(`n${number}`);
    await receive("first");
    expect(handled).toBe(10_002);
    for (let number = 0; number < 6; number++) await receive(`l${number}`, "long");
    await receive("l0", "long");
    expect(handled).toBe(10_009);
    await receive("l5", "long");
    expect(handled).toBe(10_009);
  });

  it("has no reply of a listener that fails", async () => {
    const inbox = new Inbox(new Set([listen(() => Promise.reject(new Error("listener")))]));
    expect(await inbox.receive({ id: "1", kind: "x", body: 1 }, "a")).toBeUndefined();
  });
});

describe("Requests to other nodes", () => {
  it("fail with NODE_GONE as soon as it is known, also if they were sent before", async () => {
    const requests = new Requests();
    let isThere = true;
    const sent = requests.send("node", "1", 60_000, async () => isThere);
    sent.catch(() => {});
    isThere = false;
    requests.ask("other");
    expect(requests.expects("node", "1")).toBe(true);
    requests.ask("node");
    await expect(sent).rejects.toMatchObject({ code: "NODE_GONE" });
    expect(requests.expects("node", "1")).toBe(false);
  });

  it("of the same message all get its reply, and those of others do not", async () => {
    const requests = new Requests();
    const same = [1, 2, 3].map(() => requests.send("node", "1", 60_000, async () => true));
    const other = requests.send("node", "2", 60_000, async () => true);
    requests.settle("other", "1", "null");
    requests.settle("node", "1", "true");
    expect(await Promise.all(same)).toEqual(["true", "true", "true"]);
    requests.settle("node", "2", undefined);
    await expect(other).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  it("end with the node", async () => {
    const requests = new Requests();
    const sent = requests.send("node", "1", 60_000, async () => true);
    requests.close();
    await expect(sent).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
