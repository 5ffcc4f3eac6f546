/** The settings of signing people in to other apps (OpenID Connect). */
import * as z from "zod";
import { ACCOUNT_PATH } from "../paths";
import { isAtOrBelow } from "../schemas/settings";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

export const OAUTH_VARIABLES = {
  OAUTH_SERVER: {
    description:
      "Whether apps can [sign people in](sign-in-for-apps.md) with OpenID Connect. `on` needs an issuer that is an " +
      "https origin, or an http one of localhost.",
    must: 'be "off", or "on" where TOKEN_ISSUER, or the origin of PUBLIC_URL or APP_URL, is an https origin',
    schema: z.enum(["off", "on"]).prefault("off"),
  },
  OAUTH_CLIENT_METADATA: {
    description:
      "Whether apps that nobody has registered may [tell what they are](mcp.md#apps-that-nobody-has-registered) by a " +
      "document at their `client_id`. Only APIs with `unlisted` give them tokens, and people are always asked. " +
      "`listed`: only those whose URL operators have added.",
    must: 'be "on", "listed" or "off"',
    schema: z.enum(["off", "listed", "on"]).prefault("off"),
  },
  OAUTH_REGISTRATION: {
    description:
      "Whether apps may register themselves (RFC 7591), for those that know nothing better. Nothing is stored.",
    must: 'be "on" or "off"',
    schema: z.enum(["off", "on"]).prefault("off"),
  },
  MAIL_LINKS: {
    description:
      "Where links in mails lead that people follow to verify an address, set a password, accept an invitation and " +
      "the like: to pages of your product below `APP_URL` (`app`), or to the [pages of this " +
      "service](sign-in-for-apps.md#pages) below `/account` of the issuer (`hosted`).",
    must: 'be "app", or "hosted" where OAUTH_SERVER is "on"',
    schema: z.enum(["app", "hosted"]).prefault("app"),
  },
  PASSKEY_RP_ID: {
    description:
      "The host that passkeys are bound to, at or above those of `APP_URL` and of the issuer, so that the pages of " +
      "both take them. Passkeys of another host stop working. Empty: the host of `APP_URL`.",
    must: "be a host that is, or is above, the host of APP_URL and that of TOKEN_ISSUER, or empty",
    schema: z
      .string()
      .regex(/^([a-z0-9-]+(\.[a-z0-9-]+)*)?$/)
      .prefault(""),
  },
} as const;

/** The settings that these and others make up. */
interface OauthSettings {
  oauthServer: "off" | "on";
  mailLinks: "app" | "hosted";
  passkeyRpId: string;
  appUrl: string;
  tokenIssuer: string;
}

/** The settings of these that do not fit the others. */
export function unfitOauthSettings(settings: OauthSettings): (keyof typeof OAUTH_VARIABLES)[] {
  const { oauthServer, mailLinks, passkeyRpId, appUrl, tokenIssuer } = settings;
  const isOn = oauthServer === "on";
  const usesPasskeys = [appUrl, ...(isOn ? [tokenIssuer] : [])];
  const takesPasskeys = passkeyRpId === "" || usesPasskeys.every((url) => isAtOrBelow(url, passkeyUrl(settings)));
  return [
    ...(isOn && !isAppIssuer(tokenIssuer) ? ["OAUTH_SERVER" as const] : []),
    ...(mailLinks === "hosted" && !isOn ? ["MAIL_LINKS" as const] : []),
    ...(takesPasskeys ? [] : ["PASSKEY_RP_ID" as const]),
  ];
}

/** A URL of the host that passkeys are bound to. */
export const passkeyUrl = ({ passkeyRpId, appUrl }: Pick<OauthSettings, "passkeyRpId" | "appUrl">): string =>
  passkeyRpId === "" ? appUrl : `https://${passkeyRpId}`;

/** Whether apps can rely on an issuer: what they compare must be an origin, and nobody may listen on the way to it. */
function isAppIssuer(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (!url || url.origin !== issuer) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

/** The address below which the pages are that mails lead to. */
export const mailedPagesUrl = ({
  mailLinks,
  appUrl,
  tokenIssuer,
}: Pick<OauthSettings, "mailLinks" | "appUrl" | "tokenIssuer">): string =>
  mailLinks === "hosted" ? `${tokenIssuer}${ACCOUNT_PATH}` : appUrl;
