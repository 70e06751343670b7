/** The eras before the modern one. Without the next line, servers speak the modern era only. */
export * from "./legacy/era.ts";
// Without the line above, this would not be a module.
// oxlint-disable-next-line typescript/no-useless-empty-export
export {};
