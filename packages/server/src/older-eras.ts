/** The eras before the modern one. Without the next line, servers speak the modern era only. */
export * from "./legacy/era.ts";
