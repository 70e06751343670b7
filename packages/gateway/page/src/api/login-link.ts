import { change, messageOf } from "./client.ts";

/** The part of an address that has the code of a link. */
const CODE = /^#login=([\w-]+)$/;

/** Whether the address has the code of a link that the gateway has printed. */
export function hasLoginCode(): boolean {
  return CODE.test(location.hash);
}

/**
 * Logs in with the code in the address: `#login=…`. The address loses the code first, so that neither the history nor a copied
 * address has it. Returns why the code is not good, and `undefined` if it was or if there is none.
 */
export async function logInByLink(): Promise<string | undefined> {
  const code = CODE.exec(location.hash)?.[1];
  if (code === undefined) return undefined;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  try {
    await change("POST", "session", { code });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
