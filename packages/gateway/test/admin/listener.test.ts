import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { type AdminListener, listenAdmin } from "../../src/admin/admin-listener.ts";
import { documents, FakeGateway } from "./fixture/fake-gateway.ts";
import { TOKEN } from "./fixture/start-admin.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

async function listenAt(host: string | undefined): Promise<AdminListener> {
  const gateway = await FakeGateway.create({});
  const listener = await listenAdmin(gateway, { token: TOKEN, port: 0, host, documents, onError: () => undefined });
  onTestFinished(() => listener.close());
  return listener;
}

const NAMES: readonly (readonly [string | undefined, string])[] = [
  [undefined, "127.0.0.1"],
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1"],
];
const NAMES_WITH_IPV6 = [
  ["::", "127.0.0.1"],
  ["::1", "[::1]"],
] as const;

test.each([...NAMES, ...(hasIpv6 ? NAMES_WITH_IPV6 : [])])(
  "A listener at %s is reached at %s from this machine, and its link leads there",
  async (host, name) => {
    const { url, createPageLink } = await listenAt(host);
    expect(url).toMatch(/^http:\/\/[^/]+:\d+$/);
    expect(new URL(url).hostname).toBe(name);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${url}/api/v1/servers`, { headers })).status).toBe(200);
    const link = createPageLink();
    expect(link.startsWith(`${url}/#login=`)).toBe(true);
    expect(createPageLink()).not.toBe(link);
  },
);
