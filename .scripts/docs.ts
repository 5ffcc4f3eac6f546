/** `npm run docs`: writes the documentation into the folder that wrangler.toml serves. Wrangler runs it before a build. */
import { buildDocs } from "./docs/build.ts";

await buildDocs();
