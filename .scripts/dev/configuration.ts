/**
 * Prints what wrangler.toml and .dev.vars configure, as Miniflare's options in JSON. A program, because wrangler's
 * library takes 250 MiB.
 */
import { unstable_getMiniflareWorkerOptions as read } from "wrangler";

process.stdout.write(JSON.stringify(read("wrangler.toml").workerOptions));
