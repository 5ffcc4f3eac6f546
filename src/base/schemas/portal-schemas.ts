/** What a portal looks like, and which permissions it can have. */
import * as z from "zod";
import type { Permission } from "./roles";
import { permission } from "./schemas";

const MAX_URL_CHARACTERS = 1_000;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** The host stands in the pages' Content-Security-Policy, in which `;`, `,` and `*` have a meaning. */
const HOST = /^[\w.:[\]-]+$/;

/** What a setup link can be for. */
export const SETUP_TASKS = ["connection", "domains", "directory"] as const;
export type SetupTask = (typeof SETUP_TASKS)[number];

/** Who can make a portal link. */
export type PortalMakerKind = "user" | "api-key" | "platform-key";

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, "Must be a colour like #1d5aa8")
  .meta({ examples: ["#1d5aa8"] })
  .optional();

export const portalTheme = z
  .strictObject({
    colors: z
      .strictObject({ background: color, surface: color, text: color, muted: color, accent: color, danger: color })
      .optional()
      .meta({ description: "Colours as `#rrggbb`. Missing ones are those of the console." }),
    scheme: z
      .enum(["light", "dark"])
      .optional()
      .meta({
        description: "Missing: what fits the background, if the theme has one, else what the reader's device prefers.",
        examples: ["light"],
      }),
    logoUrl: z
      .url({ protocol: /^https$/, hostname: HOST })
      .max(MAX_URL_CHARACTERS)
      .optional()
      .meta({ description: "Shown instead of your product's logo.", examples: ["https://shop.example.com/logo.svg"] }),
    wording: z
      .enum(["webhooks", "endpoints"])
      .optional()
      .meta({ description: "What the pages call subscriptions. Missing: `webhooks`." }),
    title: z
      .string()
      .trim()
      .min(1)
      .max(80)
      .optional()
      .meta({ description: "Shown instead of your product's name.", examples: ["Shop webhooks"] }),
  })
  .meta({ id: "PortalTheme", description: "How the pages of a portal look." });

export type PortalTheme = z.infer<typeof portalTheme>;

/** Where the pages of a portal lead back to. */
export const returnUrl = z
  .url({ protocol: /^https?$/ })
  .max(MAX_URL_CHARACTERS)
  .refine(isHttpsOrLoopback, "Must begin with https://, or with http:// and a loopback address")
  .meta({
    description: "Where the pages lead back to: an https URL, or an http URL of a loopback address.",
    examples: ["https://shop.example.com/settings"],
  });

function isHttpsOrLoopback(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || LOOPBACK.test(url.hostname));
}

const isOfPortals = (one: Permission): boolean => one.startsWith("webhook.");

/** The permissions of a portal: some of those on subscriptions. */
export const portalPermissions = z
  .array(permission.refine(isOfPortals, "Must be one of the webhook permissions"))
  .min(1)
  .max(100)
  .refine((permissions) => permissions.includes("webhook.read"), "Must include webhook.read")
  .transform((permissions) => [...new Set(permissions)])
  .meta({
    description: "What the portal may do: permissions on webhooks that you have yourself, with `webhook.read`.",
    examples: [["webhook.read", "webhook.update"]],
  });
