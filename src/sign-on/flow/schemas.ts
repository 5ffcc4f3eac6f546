/** The start of a sign-on in requests. */
import * as z from "zod";
import { described, opaqueToken } from "../../base/schemas/schemas";
import { authorizationQuery } from "../../identity/sign-in/providers/schemas";

const MAX_TICKET_CHARACTERS = 1_000;

export const signOnStart = authorizationQuery
  .extend({
    connection: opaqueToken.optional().meta({ description: "The id of a connection." }),
    tenant: opaqueToken.optional().meta({
      description: "A tenant, by id or as `ext:<externalId>`: its only active connection.",
    }),
    purpose: z.literal("step-up").optional().meta({
      description: "Signs in at the provider anew, for a code that confirms the session with `POST /auth/step-up`.",
    }),
    ticket: z.string().max(MAX_TICKET_CHARACTERS).optional().meta({ description: "Of the address of a test." }),
    login_hint: opaqueToken.optional().meta({ description: "The address that the person has typed." }),
  })
  .meta({ id: "SignOnOptions", description: "Through which connection, and where to go on." });

export type SignOnStart = z.infer<typeof signOnStart>;

/** What a provider sends where a sign-on starts at its own pages (OpenID Connect Core 1.0, section 4). */
export const initiation = z
  .object({
    iss: z.string().max(512).optional(),
    login_hint: opaqueToken.optional(),
    target_link_uri: z.string().max(1_000).optional(),
  })
  .meta({ id: "SignOnInitiation", description: "What a provider sends to start a sign-on." });

export const startedTest = described("StartedTest", "A test of a connection that has begun.", () => ({
  url: z.url().meta({ description: "Where the browser goes to sign in at the provider." }),
  traceId: z.string().meta({ description: "Where the result is: a trace of the connection." }),
}));
