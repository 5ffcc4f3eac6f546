/**
 * `npm run build`: bundles the modules of the npm package with their declarations into dist/, which `npm pack` ships.
 */
import { rmSync } from "node:fs";
import { build } from "rolldown";
import { dts } from "rolldown-plugin-dts";

rmSync("dist", { recursive: true, force: true });
// One at a time: each contains what it needs, and none a file of another.
for (const name of ["client", "receive", "receive/testing", "session", "verify"]) {
  await build({
    input: { [`${name}/index`]: `src/sdk/${name}/index.ts` },
    // Exported types are explicit, so declarations need no type checker. A type that is not explicit stops the build.
    plugins: [dts({ generator: "oxc", tsconfig: false })],
    transform: { target: "es2022" },
    output: { dir: "dist", format: "es", entryFileNames: "[name].js" },
  });
}
await build({
  input: { "cli/postern": "src/sdk/cli/main.ts" },
  platform: "node",
  transform: { target: "node20" },
  output: { dir: "dist", format: "es", entryFileNames: "[name].js" },
});
