/** The number of the call that a request makes. `undefined` for every other request. */
export function readCallId(body: Buffer): string | undefined {
  try {
    const { method, params } = JSON.parse(body.toString()) as {
      readonly method?: unknown;
      readonly params?: { readonly arguments?: { readonly call?: unknown } };
    };
    const call = method === "tools/call" ? params?.arguments?.call : undefined;
    return typeof call === "string" ? call : undefined;
  } catch {
    return undefined;
  }
}
