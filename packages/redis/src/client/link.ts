import { UsageError } from "@toolwire/protocol";
import { describeKind, isObject } from "@toolwire/protocol/internal";
import type { Link, RedisClient } from "./client.ts";
import { IoRedisLink, type IoRedis } from "./ioredis.ts";
import { NodeRedisLink, type NodeRedis } from "./node-redis.ts";

/** What both kinds of clients have. */
const METHODS = ["connect", "duplicate", "on", "off", "subscribe"];

/** Recognises a client. Throws a `UsageError` that says what to pass instead. */
export function linkOf(client: RedisClient): Link {
  const given: unknown = client;
  const isClient = isObject(given) && METHODS.every((method) => typeof given[method] === "function");
  if (isClient && typeof given["sendCommand"] === "function" && "isOpen" in given) {
    expectNoPrefix(given);
    return new NodeRedisLink(client as unknown as NodeRedis);
  }
  if (isClient && typeof given["call"] === "function" && typeof given["status"] === "string") {
    expectNoPrefix(given);
    return new IoRedisLink(client as unknown as IoRedis);
  }
  // Its content is not shown: URLs hold passwords.
  throw new UsageError(
    "INVALID_ARGUMENT",
    `\`client\` must be a client of redis, ioredis or iovalkey, such as createClient({ url }) of redis; got ${describeKind(given)}. ` +
      "A pool does not fit, because it has no connection that could listen.",
  );
}

/** Scripts name keys that are not parameters of theirs, so a client must not rename those that are. */
function expectNoPrefix(client: { readonly [name: string]: unknown }): void {
  const options = isObject(client["options"]) ? client["options"] : {};
  const { redisOptions } = options as { readonly redisOptions?: unknown };
  for (const from of [options, redisOptions]) {
    if (!isObject(from) || from["keyPrefix"] === undefined || from["keyPrefix"] === "") continue;
    throw new UsageError(
      "INVALID_ARGUMENT",
      "`client` has a keyPrefix, which does not apply to channels and within scripts. Leave it out, and pass the option `prefix`.",
    );
  }
}
