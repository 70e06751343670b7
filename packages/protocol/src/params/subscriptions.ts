import { nameOf } from "../messages/parse.ts";
import type { ListenParams } from "../model/subscriptions.ts";
import { expectObject, expectParams, expectString, invalidParams } from "./expect.ts";

/** The parameters of `subscriptions/listen`. */
export function readListenParams(params: unknown): ListenParams {
  const object = expectParams(params);
  const filter = expectObject(object["notifications"], "notifications");
  for (const key of ["toolsListChanged", "promptsListChanged", "resourcesListChanged"]) {
    const wanted = filter[key];
    if (wanted !== undefined && typeof wanted !== "boolean") {
      throw invalidParams(`notifications.${key}`, "true or false", nameOf(wanted));
    }
  }
  const uris = filter["resourceSubscriptions"];
  if (uris !== undefined) {
    const where = "notifications.resourceSubscriptions";
    if (!Array.isArray(uris)) throw invalidParams(where, "an array of strings", nameOf(uris));
    for (const uri of uris) expectString(uri, where, "[]");
  }
  return object as unknown as ListenParams;
}
