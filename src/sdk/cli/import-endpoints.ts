/** `postern import endpoints`: creates or replaces subscriptions by their external ids. */
import type { ImportedSubscription } from "../client";
import type { Command } from "./command";
import type { Endpoint, TenantEndpoints } from "./endpoint";
import { parseExactly } from "./exact";
import { EXIT, usage } from "./failure";
import { readJsonText } from "./input";
import { print, tell } from "./output";
import { endpointsOfSvix } from "./svix";

const ITEMS_A_CALL = 100;

export const importEndpoints: Command = {
  args: "FILE",
  summary: "Import subscriptions from a file or from Svix",
  details:
    "FILE has a JSON list of subscriptions as POST /webhooks/import takes them, each with an\n" +
    "externalId; - is standard input. With --from svix there is no FILE: the endpoints of every\n" +
    "application are read with SVIX_TOKEN, and go to the tenant whose external id is the\n" +
    "application's uid, or its id. Importing again changes nothing more.",
  options: {
    from: { value: "svix|json", help: "json unless given" },
    "api-url": { value: "URL", help: "Svix's address, https://api.svix.com unless given" },
    "dry-run": { help: "say what would happen, and change nothing" },
    print: { help: "print what would be sent, and send nothing" },
  },
  run: async ({ args, options, json, client }) => {
    const { from = "json", "api-url": apiUrl = "https://api.svix.com" } = options;
    if (from !== "svix" && from !== "json") throw usage("--from is svix or json.");
    if (args.length !== (from === "svix" ? 0 : 1)) throw usage("Give one FILE, or --from svix without one.");
    const byTenant: TenantEndpoints[] =
      from === "svix" ? await endpointsOfSvix(apiUrl) : [{ endpoints: readEndpoints(args[0] ?? "-") }];
    if (options.print) {
      print(true, byTenant, "");
      return EXIT.ok;
    }
    const results: ImportedSubscription[] = [];
    for (const { tenant, endpoints } of byTenant) {
      const inTenant = tenant === undefined ? client() : client().inTenant(tenant);
      for (let start = 0; start < endpoints.length; start += ITEMS_A_CALL) {
        const subscriptions = endpoints.slice(start, start + ITEMS_A_CALL);
        const imported = await inTenant.webhooks.import({ subscriptions, dryRun: options["dry-run"] !== undefined });
        results.push(...imported.map((item) => ({ ...item, index: start + item.index })));
      }
    }
    for (const { outcome, externalId, index, reason } of results) {
      if (outcome === "refused") tell(`${externalId ?? `item ${index}`}: ${reason}`);
    }
    print(json, results, summaryOf(results));
    return results.some(({ outcome }) => outcome === "refused") ? EXIT.failed : EXIT.ok;
  },
};

function readEndpoints(file: string): Endpoint[] {
  const list = parseExactly(readJsonText(file === "-" ? file : `@${file}`, file));
  if (!Array.isArray(list)) throw usage(`${file} is not a list.`);
  return list as Endpoint[];
}

function summaryOf(results: readonly ImportedSubscription[]): string {
  const count = (outcome: ImportedSubscription["outcome"]) => results.filter((item) => item.outcome === outcome).length;
  return ["created", "updated", "unchanged", "refused"]
    .map((outcome) => `${outcome}: ${count(outcome as ImportedSubscription["outcome"])}`)
    .join(", ");
}
