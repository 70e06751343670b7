import type { ClientCapabilities } from "../model/capabilities.ts";
import type { Implementation } from "../model/implementation.ts";
import { expectObject, expectOptionalObject, expectString } from "./expect.ts";

/** How the peer presents itself. */
export function expectImplementation(value: unknown, where: string): Implementation {
  const object = expectObject(value, where);
  expectString(object["name"], where, ".name");
  expectString(object["version"], where, ".version");
  return object as unknown as Implementation;
}

/**
 * What the client can do. Presence is what counts in capabilities, so a member that is there but no object, such as
 * `false`, would be misread; members that the protocol does not know are left alone.
 */
export function expectClientCapabilities(value: unknown, where: string): ClientCapabilities {
  const object = expectObject(value, where);
  const elicitation = expectOptionalObject(object["elicitation"], where, ".elicitation");
  if (elicitation !== undefined) {
    expectOptionalObject(elicitation["form"], where, ".elicitation.form");
    expectOptionalObject(elicitation["url"], where, ".elicitation.url");
  }
  const sampling = expectOptionalObject(object["sampling"], where, ".sampling");
  if (sampling !== undefined) {
    expectOptionalObject(sampling["tools"], where, ".sampling.tools");
    expectOptionalObject(sampling["context"], where, ".sampling.context");
  }
  expectOptionalObject(object["roots"], where, ".roots");
  expectOptionalObject(object["extensions"], where, ".extensions");
  expectOptionalObject(object["experimental"], where, ".experimental");
  return object as ClientCapabilities;
}
