/**
 * Imports a fetched package. It has no types here, because it is not there when this is compiled; whoever imports it
 * declares what is used. Works in the copy of this program next to the package.
 */
export async function importFetched<T>(specifier: string): Promise<T> {
  return (await import(specifier)) as T;
}
