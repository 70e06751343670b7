import { UsageError } from "@toolwire/protocol";
import type { Sealer } from "../secrets/sealing.ts";

/** The sealer of a storage. Throws a `UsageError` if no sealing keys are configured. */
export function needSealer(sealer: Sealer | undefined): Sealer {
  if (sealer !== undefined) return sealer;
  throw new UsageError(
    "INVALID_STATE",
    "Secrets in Postgres need sealing keys, the same ones on every machine. Set TOOLWIRE_GATEWAY_KEYS to id:key, where the " +
      "key is 32 random bytes in base64 (openssl rand -base64 32), or to file:path of a file with such lines.",
  );
}
