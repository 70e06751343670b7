/** Copies of one request in a single buffer, each with an id of its own. */
import { type Ids, type PreparedRequest, writeId } from "../workload/requests.ts";

/** Builds what is written at once when several answers have arrived at once. */
export function batchRequests({ bytes, idOffset }: PreparedRequest, count: number, ids: Ids): Buffer {
  const batch = Buffer.allocUnsafe(bytes.length * count);
  for (let i = 0; i < count; i++) {
    const at = i * bytes.length;
    bytes.copy(batch, at);
    writeId(batch, at + idOffset, ids.next());
  }
  return batch;
}
