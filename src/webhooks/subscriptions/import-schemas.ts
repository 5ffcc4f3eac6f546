/** The request and the answer of an import of subscriptions. */
import * as z from "zod";
import { described, id } from "../../base/schemas/schemas";
import { externalId, newSubscription } from "./schemas";

const MAX_ITEMS = 100;

/** One item. Its name is the URL's host unless given. */
export const importedSubscription = newSubscription
  .extend({ externalId, name: newSubscription.shape.name.optional() })
  .transform(({ name, ...item }) => ({ ...item, name: name ?? URL.parse(item.url)?.host ?? item.url }));

export type ImportedSubscription = z.output<typeof importedSubscription>;

export const subscriptionImport = described("SubscriptionImport", "Subscriptions of another system.", () => ({
  dryRun: z.boolean().default(false).meta({ description: "True: nothing is written, the answer tells what would be." }),
  subscriptions: z
    .array(z.unknown())
    .min(1)
    .max(MAX_ITEMS)
    .meta({
      description:
        "1 to 100 items, each with the members of `POST /webhooks` and an `externalId`. The `name` is the URL's " +
        "host unless given.",
      examples: [[{ externalId: "ep_4711", url: "https://example.com/hooks", events: ["*"], secret: "a secret" }]],
    }),
}));

export const importedItem = described("ImportedSubscription", "What became of one item.", () => ({
  index: z.int().min(0).meta({ description: "The place of the item in the request, from 0 on." }),
  externalId: z.string().optional(),
  outcome: z.enum(["created", "updated", "unchanged", "refused"]),
  id: id.optional(),
  reason: z
    .string()
    .optional()
    .meta({ description: "Why the item is refused.", examples: ["url: Invalid URL"] }),
}));

export type ImportedItem = z.infer<typeof importedItem>;
