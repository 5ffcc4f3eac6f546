/** Setup links in requests and answers. */
import * as z from "zod";
import { portalTheme, returnUrl, SETUP_TASKS } from "../../base/schemas/portal-schemas";
import { described, email, id, time } from "../../base/schemas/schemas";

const SECONDS = { min: 300, default: 432_000, max: 604_800 };

const may = z
  .array(z.enum(SETUP_TASKS))
  .min(1)
  .max(SETUP_TASKS.length)
  .refine((tasks) => new Set(tasks).size === tasks.length, "Must name each once")
  .meta({ description: "What the link is for.", examples: [["connection", "domains"]] });

const connectionId = z.string().meta({
  description: "The only connection that it reaches. Without one, it can make one, and reaches that.",
});

export const newSetupLink = z
  .strictObject({
    connectionId: connectionId.optional(),
    may,
    ttlSeconds: z
      .int()
      .min(SECONDS.min)
      .max(SECONDS.max)
      .default(SECONDS.default)
      .meta({
        description: "How long the link, and the session that it opens, work, in seconds.",
        examples: [432_000],
      }),
    email: email.optional().meta({
      description: "The link is mailed there, and whoever opens it needs a code that is mailed there too.",
      examples: ["it@acme.com"],
    }),
    theme: portalTheme.optional(),
    returnUrl: returnUrl.optional(),
  })
  .meta({ id: "SetupLinkInput", description: "A link for the customer's IT to make." });

export type NewSetupLink = z.output<typeof newSetupLink>;

const shown = () => ({
  id,
  may,
  connectionId: connectionId.nullable(),
  expiresAt: time,
  createdAt: time,
  openedAt: time.nullable().meta({ description: "When it was opened; null: not yet." }),
  email: z
    .string()
    .optional()
    .meta({ examples: ["it@acme.com"] }),
  theme: portalTheme.optional(),
  returnUrl: z
    .string()
    .optional()
    .meta({ examples: ["https://shop.example.com/settings"] }),
});

export const setupLink = described("SetupLink", "A setup link that has not ended, without its URL.", shown);

export const madeSetupLink = described("MadeSetupLink", "A new setup link with its URL.", () => ({
  ...shown(),
  url: z.string().meta({
    description: "The link itself, which works once. The service cannot return it again.",
    examples: ["https://postern.example.com/setup/open?token=sl_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"],
  }),
}));

/** How a link is opened: with a mailed code if it was made for an address. */
export const openedSetupLink = z.object({
  token: z.string(),
  state: z.string().optional(),
  code: z.string().optional(),
});

export type SetupLinkView = z.infer<typeof setupLink>;
