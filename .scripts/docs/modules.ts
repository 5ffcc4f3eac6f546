/** The modules of the npm package, bundled with their declarations, and its command line. */
import { build } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/** Writes them into a folder. */
export async function buildModules(folder: string): Promise<void> {
  // One at a time: each contains what it needs, and none a file of another.
  for (const name of ["client", "receive", "receive/testing", "session", "verify", "web"]) {
    await build({
      input: { [`${name}/index`]: `src/sdk/${name}/index.ts` },
      // Exported types are explicit, so declarations need no type checker. A type that is not explicit stops the build.
      plugins: [dts({ generator: "oxc", tsconfig: false })],
      transform: { target: "es2022" },
      output: { dir: folder, format: "es", entryFileNames: "[name].js" },
    });
  }
  await build({
    input: { "cli/postern": "src/sdk/cli/main.ts" },
    platform: "node",
    transform: { target: "node20" },
    output: { dir: folder, format: "es", entryFileNames: "[name].js" },
  });
}
