import { defineConfig } from "vite";

/** Builds the page into the package, as files that need nothing from elsewhere. */
export default defineConfig({
  resolve: { conditions: ["@toolwire/source", "module", "browser", "production"] },
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    target: "es2023",
    // Browsers that know `light-dark()`. For older ones, every colour would be written twice.
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    // Inlined files would be `data:` URLs, which the content policy forbids.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
