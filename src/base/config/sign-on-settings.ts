/** The settings of sign-on: what tenants' own identity providers need. */
import * as z from "zod";
import { commaList } from "../schemas/settings";

/** DNS over HTTPS (RFC 8484) of Cloudflare and of Google. */
const PUBLIC_RESOLVERS = "https://cloudflare-dns.com/dns-query,https://dns.google/dns-query";

const isResolver = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
};

export const SIGN_ON_VARIABLES = {
  SIGN_ON: {
    description:
      "Whether tenants can sign in with identity providers of their own, and bring their people by SCIM. It needs " +
      "`PUBLIC_URL`. With `off`, all of that answers 404.",
    must: 'be "on" or "off"',
    schema: z.enum(["on", "off"]).prefault("on"),
  },
  DNS_RESOLVERS: {
    description:
      "The two resolvers that look up the domains of tenants, with DNS over HTTPS (RFC 8484). Both must see the " +
      "same, so take two that have nothing to do with each other. Empty: those of Cloudflare and Google.",
    must: "be two different https URLs (http if WEBHOOK_EGRESS is any), comma-separated, or empty",
    schema: z
      .string()
      .prefault("")
      .transform((text) => (text.trim() === "" ? PUBLIC_RESOLVERS : text))
      .pipe(commaList)
      .pipe(z.tuple([z.string().refine(isResolver), z.string().refine(isResolver)]))
      .refine(([one, other]) => one !== other),
  },
} as const;

/** The settings that these and others make up. */
interface SignOnSettings {
  signOn: "on" | "off";
  publicUrl: string | undefined;
  dnsResolvers: readonly [string, string];
  webhookEgress: "public" | "any";
}

/** Whether tenants can sign on: providers send people back to PUBLIC_URL. */
export const hasSignOn = ({ signOn, publicUrl }: Pick<SignOnSettings, "signOn" | "publicUrl">): boolean =>
  signOn === "on" && publicUrl !== undefined;

/** The settings of these that do not fit the others. */
export const unfitSignOnSettings = (settings: SignOnSettings): (keyof typeof SIGN_ON_VARIABLES)[] =>
  settings.webhookEgress === "any" || settings.dnsResolvers.every((url) => url.startsWith("https:"))
    ? []
    : ["DNS_RESOLVERS"];
