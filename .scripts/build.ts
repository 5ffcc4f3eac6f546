/**
 * `npm run build`: bundles `postern/client` and `postern/verify` with their declarations into dist/, which `npm pack`
 * ships.
 */
import { rmSync } from "node:fs";
import { build } from "rolldown";
import { dts } from "rolldown-plugin-dts";

rmSync("dist", { recursive: true, force: true });
await build({
  input: { "client/index": "src/sdk/client/index.ts", "verify/index": "src/sdk/verify/index.ts" },
  // Exported types are explicit, so declarations need no type checker. A type that is not explicit stops the build.
  plugins: [dts({ generator: "oxc", tsconfig: false })],
  transform: { target: "es2022" },
  output: { dir: "dist", format: "es", entryFileNames: "[name].js" },
});
