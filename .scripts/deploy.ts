/**
 * `npm run deploy`: creates what the Cloudflare account lacks, applies migrations, deploys, and asks the service
 * whether it works. It keeps what exists, so it can be repeated after a failure and for every new version.
 */
import { deploy } from "./deploy/command.ts";
import { wranglerOutput } from "./deploy/wrangler.ts";

const HEALTH_RETRY_MS = 2_000;

const surroundings = { wrangler: wranglerOutput, terminal: console, healthRetryMs: HEALTH_RETRY_MS };
process.exit(await deploy(process.argv.slice(2), surroundings));
