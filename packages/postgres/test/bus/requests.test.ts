import { describe, expect, it } from "vitest";
import { Requests } from "../../src/bus/requests.ts";

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
