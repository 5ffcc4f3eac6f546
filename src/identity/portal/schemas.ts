/** Portal links, tokens and sessions in requests and answers. */
import * as z from "zod";
import { portalPermissions, portalTheme, returnUrl } from "../../base/schemas/portal-schemas";
import { described, id, permission, time } from "../../base/schemas/schemas";

const MIN_SECONDS = 60;
const LINK_SECONDS = { default: 3_600, max: 86_400 };
const TOKEN_SECONDS = { default: 900, max: 3_600 };

const ttlSeconds = (seconds: { default: number; max: number }, what: string) =>
  z
    .int()
    .min(MIN_SECONDS)
    .max(seconds.max)
    .default(seconds.default)
    .meta({ description: `How long the ${what} works, in seconds.`, examples: [seconds.default] });

export const newPortalLink = z
  .strictObject({
    permissions: portalPermissions,
    ttlSeconds: ttlSeconds(LINK_SECONDS, "link, and the session that it opens,"),
    theme: portalTheme.optional(),
    returnUrl: returnUrl.optional(),
  })
  .meta({ id: "PortalLinkInput", description: "A portal link to make." });

export const newPortalToken = z
  .strictObject({ permissions: portalPermissions, ttlSeconds: ttlSeconds(TOKEN_SECONDS, "token") })
  .meta({ id: "PortalTokenInput", description: "A portal token to make." });

export const usedLink = z.object({ token: z.string() });

export type NewPortalLink = z.output<typeof newPortalLink>;

const permissions = z.array(permission).meta({ examples: [["webhook.read", "webhook.update"]] });

const made = z.object({ id, permissions, expiresAt: time, createdAt: time });

const looks = {
  openedAt: time.nullable().meta({ description: "When the link was opened; null: not yet, and for a token." }),
  theme: portalTheme.optional(),
  returnUrl: z
    .string()
    .optional()
    .meta({ examples: ["https://shop.example.com/settings"] }),
};

export const listedPortalLink = made
  .extend({ kind: z.enum(["link", "token"]), ...looks })
  .meta({ id: "PortalLink", description: "A portal link or token that has not ended, without its secret." });

export const madePortalLink = made
  .extend({
    url: z.string().meta({
      description: "The link itself, which works once. Send your customer there: the service cannot return it again.",
      examples: ["https://postern.example.com/portal/open?token=pl_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"],
    }),
    ...looks,
  })
  .meta({ id: "MadePortalLink", description: "A new portal link with its URL." });

export const madePortalToken = made
  .extend({
    token: z.string().meta({
      description: "The token itself, for `Authorization: Bearer`. The service cannot return it again.",
      examples: ["pt_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"],
    }),
  })
  .meta({ id: "MadePortalToken", description: "A new portal token." });

export const portalSession = described("PortalSession", "What a portal token gives access to.", () => ({
  tenant: z.object({ id, name: z.string().meta({ examples: ["Acme"] }), externalId: z.string().optional() }),
  permissions: permissions.meta({ description: "What the portal may do at present." }),
  expiresAt: time,
  theme: portalTheme.optional(),
}));

export type ListedPortalLink = z.infer<typeof listedPortalLink>;
