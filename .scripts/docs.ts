/** `npm run docs`: writes the documentation into the folder that wrangler.toml serves; part of every build. */
import { buildDocs } from "./docs/build.ts";

await buildDocs();
