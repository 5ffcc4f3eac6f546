/** The address of somebody who wants to sign on, in requests and answers. */
import * as z from "zod";
import { captchaToken, described, email } from "../../base/schemas/schemas";
import { authorizationQuery } from "../../identity/sign-in/providers/schemas";

export const typedAddress = described("SignOnAddress", "The address that somebody has typed.", () => ({
  email,
  captchaToken,
}));

export const linkRequest = described("SignOnLinkRequest", "Where to mail a link that starts a sign-on.", () => ({
  email,
  to: authorizationQuery.shape.to,
}));

export const discovered = described("DiscoveredSignOn", "Where an address leads.", () => ({
  signOn: z.url().nullable().meta({ description: "Where the browser goes next; null: ask for other credentials." }),
}));
