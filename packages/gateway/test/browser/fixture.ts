import { listenAdmin, type AdminListener } from "../../src/admin/admin-listener.ts";
import { FakeGateway, documents, type FakeOptions } from "../admin/fixture/fake-gateway.ts";
import { NOW } from "../admin/fixture/seeded-calls.ts";

/** The admin token of the browser tests. */
export const TOKEN = "admin-token-of-the-browser-tests";

/** Serves the page and the admin API of a gateway with seeded data, whose clock stands still. */
export async function servePage(options: FakeOptions = {}): Promise<{ gateway: FakeGateway; listener: AdminListener }> {
  const gateway = await FakeGateway.create(options);
  const listener = await listenAdmin(gateway, { token: TOKEN, port: 0, documents, now: () => NOW });
  return { gateway, listener };
}
