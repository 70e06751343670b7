import { BlockList, isIP, isIPv6 } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** Whether only this machine can reach a listener on this host. Default: it listens on loopback. */
export function isLoopback(host = "127.0.0.1"): boolean {
  if (host === "localhost") return true;
  return isIP(host) !== 0 && LOOPBACK.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}
