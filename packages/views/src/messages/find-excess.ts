/**
 * Says what is wrong with a message that came from another window; `undefined` if nothing is. It must be JSON, nested at most `maxDepth`
 * deep, and not larger than `maxSize`, which counts characters and values. Windows can send each other more than JSON: maps, cycles,
 * gigabytes.
 *
 * It uses nothing but its parameters, because sandbox pages contain its text.
 */
export function findExcess(message: unknown, maxSize: number, maxDepth = 50): string | undefined {
  let size = 0;
  const look = (value: unknown, depth: number): string | undefined => {
    size += typeof value === "string" ? value.length + 2 : 8;
    if (size > maxSize) return `it is larger than ${maxSize}`;
    if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") {
      return undefined;
    }
    if (typeof value === "number") return Number.isFinite(value) ? undefined : "it contains a number that JSON has not";
    if (typeof value !== "object") return `it contains a ${typeof value}`;
    if (depth >= maxDepth) return `it is nested deeper than ${maxDepth}`;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) {
        const problem = look(item, depth + 1);
        if (problem !== undefined) return problem;
      }
      return undefined;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return "it contains an object that is not plain";
    for (const [key, member] of Object.entries(value)) {
      if (key === "__proto__") return "it contains a member named __proto__";
      size += key.length + 2;
      const problem = look(member, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return look(message, 0);
}
