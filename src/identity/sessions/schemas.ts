/** Sessions and their tokens in requests and answers. */
import * as z from "zod";
import { chosenTenantId, described, id, opaqueToken, time } from "../../base/schemas/schemas";

const EXAMPLE_REFRESH_TOKEN = "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f.1.UNhY4JhezH9gQYqvDMWrWH9CwlcKiECVqejMrND2VFw";

export const refreshTokenBody = z
  .object({ refreshToken: opaqueToken.meta({ examples: [EXAMPLE_REFRESH_TOKEN] }) })
  .meta({ id: "RefreshToken" });

/** A UUID that the client generated, in any letter case. */
export const refreshKey = z
  .guid("Must be a UUID")
  .toLowerCase()
  .meta({
    description:
      "A UUID that you generated. The same one with the same token within 60 seconds returns the same new refresh " +
      "token, so you can repeat a request whose answer was lost.",
  });

export const tokenPair = described("TokenPair", "The tokens of a session.", () => ({
  accessToken: z
    .string()
    .meta({ description: "A JWT, valid for 15 minutes.", examples: ["eyJhbGciOiJFZERTQSJ9.e30.c2ln"] }),
  refreshToken: z
    .string()
    .meta({ description: "Exchanged for a new pair; works once.", examples: [EXAMPLE_REFRESH_TOKEN] }),
}));

export const session = described(
  "Session",
  "One sign-in of the user. What the service could not determine about the device is null.",
  () => ({
    id,
    deviceName: z
      .string()
      .nullable()
      .meta({ description: "Browser and operating system in one line.", examples: ["Firefox 150.0 on Linux"] }),
    browser: z
      .string()
      .nullable()
      .meta({ examples: ["Firefox 150.0"] }),
    operatingSystem: z
      .string()
      .nullable()
      .meta({ examples: ["Linux"] }),
    platform: z
      .string()
      .nullable()
      .meta({ description: "`desktop`, `mobile` or the like.", examples: ["desktop"] }),
    ipAddress: z
      .string()
      .nullable()
      .meta({ examples: ["192.0.2.1"] }),
    location: z
      .string()
      .nullable()
      .meta({ description: "City and country.", examples: ["Lisbon, PT"] }),
    createdAt: time,
    expiresAt: time,
    lastActivityAt: time,
    current: z.boolean().meta({ description: "True for the session of this request." }),
    apps: z.array(z.string()).optional().meta({ description: "The apps to which it has signed in, if any." }),
  }),
);

export const tenantChoice = z
  .object({ tenantId: chosenTenantId.meta({ description: "One of the user's tenants." }) })
  .meta({ id: "TenantChoice" });

export type TokenPair = z.infer<typeof tokenPair>;
export type Session = z.infer<typeof session>;
