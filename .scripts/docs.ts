/** `npm run docs`: writes the documentation into the folder that wrangler.toml serves; part of every build. */
import { makeDocs } from "./make-docs.ts";

await makeDocs();
