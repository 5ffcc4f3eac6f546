/** What crosses the wire about sessions and their tokens. */
import { z } from "zod";
import { id, opaqueToken, time } from "../wire/schemas";

const EXAMPLE_REFRESH_TOKEN = "AZCgoBssfT6PQFpre4ydngAAAAE";

export const refreshTokenBody = z
  .object({ refreshToken: opaqueToken.meta({ examples: [EXAMPLE_REFRESH_TOKEN] }) })
  .meta({ id: "RefreshToken" });

/** A UUID that the client made, in any letter case. */
export const refreshKey = z.guid().toLowerCase().meta({
  description:
    "A UUID that you made. Sending the same one with the same token within 60 seconds gives the same new refresh token, so a lost answer can be asked for again.",
});

export const tokenPair = z
  .object({
    accessToken: z
      .string()
      .meta({ description: "A JWT, good for 15 minutes.", examples: ["eyJhbGciOiJFZERTQSJ9.e30.c2ln"] }),
    refreshToken: z.string().meta({ description: "Works once.", examples: [EXAMPLE_REFRESH_TOKEN] }),
  })
  .meta({ id: "TokenPair" });

export const session = z
  .object({
    id,
    deviceName: z
      .string()
      .nullable()
      .meta({ examples: ["Firefox 150.0 on Linux"] }),
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
      .meta({ examples: ["desktop"] }),
    ipAddress: z
      .string()
      .nullable()
      .meta({ examples: ["192.0.2.1"] }),
    location: z
      .string()
      .nullable()
      .meta({ examples: ["Lisbon, PT"] }),
    createdAt: time,
    expiresAt: time,
    lastActivityAt: time,
    current: z.boolean().meta({ description: "True for the session that asks." }),
  })
  .meta({ id: "Session" });

export type TokenPair = z.infer<typeof tokenPair>;
export type Session = z.infer<typeof session>;
