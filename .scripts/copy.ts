/** `npm run copy`: copies of databases outside Cloudflare, and their way back. */
import { copy } from "./copy/command.ts";
import { wranglerOutput } from "./deploy/wrangler.ts";

process.exit(await copy(process.argv.slice(2), { wrangler: wranglerOutput, terminal: console }));
