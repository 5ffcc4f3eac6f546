/** The settings of signing people in to other apps (OpenID Connect). */
import * as z from "zod";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

export const OAUTH_VARIABLES = {
  OAUTH_SERVER: {
    description:
      "Whether apps can [sign people in](sign-in-for-apps.md) with OpenID Connect. `on` needs an issuer that is an " +
      "https origin, or an http one of localhost.",
    must: 'be "off", or "on" where TOKEN_ISSUER, or the origin of PUBLIC_URL or APP_URL, is an https origin',
    schema: z.enum(["off", "on"]).prefault("off"),
  },
} as const;

/** Whether apps can rely on an issuer: what they compare must be an origin, and nobody may listen on the way to it. */
export function isAppIssuer(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (!url || url.origin !== issuer) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}
