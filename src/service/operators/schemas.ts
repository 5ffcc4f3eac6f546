/**
 * What operators send and receive. Every field is listed by name, and none is a payload, a secret, a token or a URL.
 */
import * as z from "zod";
import { CONNECTION_KINDS, CONNECTION_STATES } from "../../base/schemas/connection-settings";
import { described, id, name, personEmail, personName, role, tenantId, time } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";
import { tenantMove } from "../moves/schemas";

const MAX_QUERY_CHARACTERS = 254;

export const searchQuery = z.object({
  q: z
    .string()
    .trim()
    .min(2)
    .max(MAX_QUERY_CHARACTERS)
    .meta({
      description:
        "An id, one that your product has given too, or the beginning of a tenant's name, of a person's email " +
        "address, or of the host of a subscription.",
      examples: ["ada@example.com"],
    }),
});

/** The reason for an action. The audit log shows it to those concerned. */
const reason = name.meta({
  description: "Why. Those concerned can read it in their audit log.",
  examples: ["Unpaid since May"],
});

export const suspension = described(
  "Suspension",
  "Why somebody or something is suspended or resumed, and the operator's password or code.",
  () => ({ reason, ...stepUpFields }),
);
export const personSuspension = described(
  "PersonSuspension",
  "Why a person is suspended, and what happens to their API keys.",
  () => ({
    ...suspension.unwrap().shape,
    keepApiKeys: z.boolean().default(false).meta({
      description: "Whether API keys that the person has made keep working, for a tenant that depends on them.",
    }),
  }),
);
const label = z.string().meta({ examples: ["Analytical Engines"] });
const externalId = z
  .string()
  .nullable()
  .meta({ description: "What the product calls it.", examples: ["customer-42"] });
const count = z
  .int()
  .min(0)
  .meta({ examples: [3] });
const shard = z
  .int()
  .min(0)
  .meta({ description: "The delivery database: 0 is `DB`, n is `SHARD_n`.", examples: [0] });
const host = z.string().meta({ examples: ["example.com"] });
const tenantOf = { tenantId, tenantName: label };

const since = z
  .object({ at: time, reason: z.string().nullable() })
  .meta({ id: "SuspendedSince", description: "Since when and why somebody or something is suspended." })
  .nullable()
  .meta({ description: "Null: not suspended." });

export const searchResult = described("OperatorSearch", "What a search has found, at most 20 of each kind.", () => ({
  tenants: z.array(z.object({ id: tenantId, externalId, name: label, isSuspended: z.boolean() })),
  people: z.array(z.object({ id, externalId, email: personEmail, name: personName, isSuspended: z.boolean() })),
  subscriptions: z.array(z.object({ id, name: label, host, enabled: z.boolean(), ...tenantOf })),
  events: z.array(z.object({ id, type: z.string().meta({ examples: ["OrderPaid"] }), createdAt: time, ...tenantOf })),
  deliveries: z.array(z.object({ id, webhookId: id, eventId: id, ...tenantOf })),
  unreachable: z
    .array(shard)
    .meta({ description: "The databases that did not answer, so that findings may be missing." }),
}));

const holdCause = z.enum(["held", "suspended"]).meta({
  id: "HoldCause",
  description: "Why sends wait. `held`: an operator has frozen them; `suspended`: the tenant is suspended.",
  examples: ["held"],
});

const bounded = described("BoundedCount", "A number that is counted up to a bound.", () => ({
  count,
  isExact: z.boolean().meta({ description: "False: there are more." }),
}));

const subscriptionState = described("OperatedSubscription", "A subscription as operators see it.", () => ({
  id,
  name: label,
  host,
  state: z.enum(["active", "failing", "paused", "disabled"]).meta({ examples: ["failing"] }),
  failureCount: count.meta({ description: "Failed attempts since the last success." }),
  error: z
    .string()
    .nullable()
    .meta({ description: "Of the last failed attempt, if it is among the newest.", examples: ["status 500"] }),
  lastTriggeredAt: time.nullable().meta({ description: "When something was last sent to it." }),
  events: z.array(z.string()).meta({ description: "The types that it lists.", examples: [["order.paid"]] }),
  matching: count.meta({ description: "How many of the events in `published` are of these types." }),
  similar: z
    .array(z.object({ type: label, meant: label }))
    .meta({ description: "Listed types that nobody has declared or published, with the name that may be meant." }),
  offSince: z
    .object({ at: time, by: label })
    .nullable()
    .meta({ description: "When and by whom it was paused or disabled, if the newest part of the audit log says so." }),
}));

const signOnState = z
  .object({
    connections: z.array(
      z.object({
        id,
        name: label,
        kind: z.enum(CONNECTION_KINDS),
        state: z.enum(CONNECTION_STATES),
        lastSignOnAt: time.nullable(),
        failingSince: time.nullable().meta({ description: "Since when many were refused, and nobody got in." }),
        scimTokens: z
          .array(z.object({ createdAt: time, lastUsedAt: time.nullable(), expiresAt: time.nullable() }))
          .meta({ description: "Those of its directory, newest first: at most two." }),
        directory: z
          .object({ active: count, inactive: count, held: count, groups: count, lastRequestAt: time.nullable() })
          .optional()
          .meta({ description: "What its directory has here. Missing: it has never called." }),
      }),
    ),
    jobs: z
      .array(
        z.object({
          connectionId: id,
          kind: z.enum(["roles", "end", "removed"]).meta({
            description:
              "`roles`: giving the roles of the rules. `end`, `removed`: of a connection that was deleted, deleting " +
              "what it has left, and recording whom it has removed.",
          }),
          parts: count,
          since: time,
        }),
      )
      .meta({ description: "Work over all people of a directory that has not ended, the oldest first." }),
    domains: z.array(
      z.object({
        domain: z.string(),
        state: z.enum(["pending", "proved", "lost"]),
        provedBy: z.enum(["dns", "platform"]).nullable(),
      }),
    ),
  })
  .meta({ id: "OperatedSignOn", description: "The identity providers and domains of a tenant." });

export const operatedTenant = described("OperatedTenant", "A tenant as operators see it.", () => ({
  externalId,
  id: tenantId,
  name: label,
  createdAt: time,
  suspended: since,
  shard,
  move: tenantMove,
  members: count,
  apiKeys: count,
  owners: z.array(z.object({ id, email: personEmail })).meta({ description: "The first ten." }),
  subscriptions: z.object({ total: count, active: count, failing: count, paused: count, disabled: count }),
  subscriptionStates: z.array(subscriptionState).meta({ description: "At most 50, those that fail first." }),
  published: z
    .object({ since: time, events: count })
    .meta({ description: "What the tenant has published in seven days, or since the oldest event that was read." }),
  openDeliveries: bounded,
  oldestDueAt: time.nullable().meta({ description: "When the oldest open delivery was or is due." }),
  attempts: z
    .object({ since: time, succeeded: count, failed: count })
    .meta({ description: "In the present hour and the previous one." }),
  signOn: signOnState.optional().meta({ description: "Missing while sign-on is off." }),
  holds: z.array(z.object({ cause: holdCause, since: time, ofAllTenants: z.boolean() })),
}));

export const operatedPerson = described("OperatedPerson", "A person as operators see them.", () => ({
  externalId,
  id,
  email: personEmail,
  name: personName,
  createdAt: time,
  suspended: since,
  emailVerified: z.boolean(),
  twoFactorEnabled: z.boolean(),
  sessions: count,
  apiKeys: count,
  tenants: z.array(z.object({ id, name: label, role })).meta({ description: "The fifty most recently used." }),
}));

export const serviceStatus = described("ServiceStatus", "The state of the service.", () => ({
  shards: z.array(
    z.object({
      shard,
      bytes: z
        .int()
        .nullable()
        .meta({ description: "As last read by the hourly job; null before its first run.", examples: [4096] }),
      share: z
        .number()
        .nullable()
        .meta({ description: "The size as a share of the largest size that a database can have.", examples: [0.01] }),
      openToNewTenants: z.boolean(),
      overdue: bounded.meta({ description: "Open deliveries that are due, without those in backlogs." }),
      oldestDueAt: time.nullable().meta({ description: "When the oldest of them was due." }),
      backlogs: count.meta({
        description: "Subscriptions with a backlog, whose deliveries wait apart from the others.",
      }),
      oldestInBacklogAt: time.nullable(),
      failing: count.meta({ description: "Subscriptions that fail." }),
      attempts: z
        .object({ since: time, until: time, succeeded: count, failed: count })
        .nullable()
        .meta({
          description:
            "The attempts since the hour before the present one, or those of the last hour that the hourly job has " +
            "counted where many subscriptions are. Null before its first run.",
        }),
    }),
  ),
  failingTenants: z
    .array(z.object({ ...tenantOf, failing: count, since: time }))
    .meta({ description: "The tenants with the most failing subscriptions, and since when; at most 20." }),
  queues: z.array(
    z.object({
      name: z.string().meta({
        description: "`deliveries`, `deliveries-slow`, `mail`; `deliveries-1`, `deliveries-1-slow` of database 1.",
        examples: ["deliveries"],
      }),
      messages: count.nullable().meta({ description: "Null if the platform does not report it." }),
      oldestAt: time.nullable(),
    }),
  ),
  deadLetters: z
    .array(z.object({ queue: z.string().meta({ examples: ["postern-mail-dead"] }), hour: time, messages: count }))
    .meta({ description: "Of the last seven days, by hour, newest first." }),
  holds: z
    .array(
      z.object({ tenantId: tenantId.nullable(), tenantName: label.nullable(), cause: holdCause, since: time, shard }),
    )
    .meta({
      description: "What is frozen, at most 200 of each database. Null as the tenant stands for all tenants.",
    }),
  unreachable: z.array(shard).meta({ description: "The databases that did not answer." }),
}));

export type SearchResult = z.infer<typeof searchResult>;
export type OperatedTenant = z.infer<typeof operatedTenant>;
export type OperatedPerson = z.infer<typeof operatedPerson>;
export type ServiceStatus = z.infer<typeof serviceStatus>;
