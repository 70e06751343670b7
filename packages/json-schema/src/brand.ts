/** Under this key, the prototype of an error class has the names of the class and its parents, the most general first. */
const BRAND = Symbol.for("toolwire.error");

type Branded = { readonly [BRAND]?: readonly string[] };

/**
 * Lets `instanceof` recognise the errors of a class across copies of our packages: an application may load a package
 * twice, in two versions, or bundled and not. To be called once for each class, in a static block. `names` ends with the
 * name of the class; parents whose class is in another package come before it.
 */
export function brandError(errorClass: { readonly prototype: Error }, ...names: readonly string[]): void {
  const { [BRAND]: inherited = [] } = errorClass.prototype as Branded;
  Object.defineProperty(errorClass.prototype, BRAND, { value: [...inherited, ...names] });
}

/** Decides `instanceof` for a class by the names of the classes instead of the classes; see {@link brandError}. */
export function isBrandedInstance(errorClass: unknown, value: unknown): boolean {
  const { prototype } = errorClass as { readonly prototype: Branded };
  // A class of an application, which has no name of its own in the brand, has instances in the usual way.
  if (!Object.hasOwn(prototype, BRAND)) {
    return Function.prototype[Symbol.hasInstance].call(errorClass as () => void, value);
  }
  if (typeof value !== "object" || value === null) return false;
  const name = prototype[BRAND]?.at(-1);
  return name !== undefined && hasName((value as Branded)[BRAND], name);
}

/** Whether a brand has this name. Objects of strangers may have anything in its place. */
function hasName(brand: unknown, name: string): boolean {
  return Array.isArray(brand) && brand.includes(name);
}
