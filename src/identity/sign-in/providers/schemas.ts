/** Sign-ins with providers, in requests and answers. */
import * as z from "zod";
import { described, id, opaqueToken, providerName, time } from "../../../base/schemas/schemas";

export const identity = described("Identity", "The person at a provider as whom the user signs in.", () => ({
  id,
  provider: providerName,
  issuer: z.string().meta({
    description: "Who vouches for the sign-in, such as `https://accounts.google.com`.",
    examples: ["https://accounts.google.com"],
  }),
  email: z
    .string()
    .nullable()
    .meta({
      description: "The address that the provider gave when the identity was added.",
      examples: ["ada@example.com"],
    }),
  createdAt: time,
  lastUsedAt: time.nullable(),
}));

export type Identity = z.infer<typeof identity>;

/** It goes into a cookie, sealed, and browsers drop cookies above 4,096 bytes. */
const fitsCookie = (text: string) => new TextEncoder().encode(text).length <= 1000;

/** What the page at `APP_URL/oauth` gets back unchanged, for example the page to continue with. */
const to = z
  .string()
  .max(1000)
  .refine(fitsCookie, "Must be at most 1,000 bytes of UTF-8")
  .optional()
  .meta({
    description:
      "Passed to the page at `APP_URL/oauth` unchanged, for example to say where to continue. Check it there: " +
      "anybody can make such a link.",
  });

export const invitationToken = opaqueToken.optional().meta({
  description:
    "The token in the link of an invitation mail. The person joins that tenant, with a new account if there is none.",
  examples: ["c0ffee"],
});

export const authorizationQuery = z.object({ to, invitationToken }).meta({ id: "SignInOptions" });

export type SignInStart = z.infer<typeof authorizationQuery>;

export const linkBody = described("IdentityInput", "Where the page at `APP_URL/oauth` sends the user next.", () => ({
  to,
}));

/** The parameters that a provider adds when the browser comes back; oauth4webapi checks their contents. */
export const callbackQuery = z.object({
  state: opaqueToken.optional(),
  code: z.string().max(4000).optional(),
  iss: opaqueToken.optional(),
  error: opaqueToken.optional(),
});

export const providerPath = z.object({ provider: providerName });
/** Named `id` because the route shares its path with the routes of an identity. */
export const linkPath = z.object({ id: providerName });

export const startedAuthorization = z.object({
  url: z.url().meta({ description: "Where the browser goes next: a page of the provider." }),
});
