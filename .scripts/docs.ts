/**
 * `npm run docs`: writes the documentation into the folder that wrangler.toml serves, and the sources without what only
 * the documentation says; part of every build.
 */
import { makeDocs } from "./make-docs.ts";
import { makeWorkerSource } from "./worker/source.ts";

await makeDocs();
makeWorkerSource();
