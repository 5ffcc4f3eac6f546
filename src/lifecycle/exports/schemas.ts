/** Exports of accounts and tenants, as the API sends them. */
import * as z from "zod";
import { described, id, role, time } from "../../base/schemas/schemas";
import { apiKey } from "../../identity/api-keys/schemas";
import { invitation } from "../../identity/invitations/schemas";
import { member } from "../../identity/members/schemas";
import { passkey } from "../../identity/passkeys/webauthn/schemas";
import { session } from "../../identity/sessions/schemas";
import { identity } from "../../identity/sign-in/providers/schemas";
import { tenantApp } from "../../oauth/apps/schemas";
import { exportedConnection } from "../../sign-on/connections/schemas";
import { domainBody } from "../../sign-on/domains/schemas";
import { activity } from "../../tenancy/audit/schemas";
import { tenant } from "../../tenancy/tenants/schemas";
import { catalogue } from "../../webhooks/event-types/catalogue/schemas";
import { eventType } from "../../webhooks/event-types/schemas";
import { feed } from "../../webhooks/feeds/schemas";
import { source } from "../../webhooks/sources/schemas";
import { subscription } from "../../webhooks/subscriptions/schemas";

const keyInExport = described("ExportedApiKey", "An API key without the key itself.", () => ({
  ...apiKey.unwrap().shape,
  tenantId: id,
  userId: id.nullable().meta({ description: "Null: the key belongs to the tenant itself." }),
  revokedAt: time.nullable(),
}));

const ownId = (noun: "user" | "tenant") =>
  z
    .string()
    .nullable()
    .meta({ description: `The product's own id of the ${noun}.` });

const exportedRecord = described("ExportedRecord", "A person as the directory of a tenant has them here.", () => ({
  connectionId: id,
  id,
  userId: id.nullable().meta({ description: "The account; null: there is none." }),
  state: z.enum(["active", "inactive", "held", "removed"]),
  groups: z.array(z.string()).meta({ description: "The names of the groups with the person." }),
  attributes: z.record(z.string(), z.unknown()).meta({ description: "What the directory has sent, as SCIM has it." }),
}));

export const accountExport = described(
  "AccountExport",
  "Everything that the service keeps about a user, in all tenants.",
  () => ({
    exportedAt: time,
    profile: z.object({
      id,
      externalId: ownId("user"),
      email: z.string(),
      name: z.string().nullable(),
      emailVerified: z.boolean(),
      twoFactorEnabled: z.boolean(),
      createdAt: time,
    }),
    memberships: z.array(
      z.object({
        tenantId: id,
        tenantName: z.string(),
        role,
        alerts: z.boolean(),
        joinedAt: time,
      }),
    ),
    sessions: z.array(session),
    passkeys: z.array(passkey),
    identities: z.array(identity),
    signOns: z
      .array(
        z.object({
          tenantId: id,
          connectionId: id,
          subject: z.string(),
          email: z.string().nullable(),
          createdAt: time,
          lastUsedAt: time.nullable(),
        }),
      )
      .meta({ description: "As whom identity providers of tenants know the user." }),
    directory: z.array(exportedRecord).meta({ description: "What directories of tenants have sent of the user." }),
    apiKeys: z.array(keyInExport).meta({ description: "The keys in all tenants, including ended ones." }),
    apps: z
      .array(
        z.object({
          clientId: z.string(),
          clientName: z.string().nullable().meta({ description: "Null: the app was deleted." }),
          tenantId: id,
          scopes: z.array(z.string()),
          connectedAt: time,
          connections: z.int().min(0).meta({ description: "How often the app is connected without a session." }),
        }),
      )
      .meta({ description: "The apps that the user has allowed something, without their tokens." }),
    activity: activity.meta({ description: "The newest 10,000 audit events of the account, newest first." }),
  }),
);

const exportedEvent = described("ExportedEvent", "An event without its payload.", () => ({
  id,
  type: z.string().meta({ examples: ["OrderPaid"] }),
  correlationId: z.string().nullable(),
  orderKey: z.string().nullable(),
  sequence: z.int().nullable(),
  deliveries: z.int().min(0),
  test: z.literal(true).optional().meta({ description: "It is a test, sent to one subscription alone." }),
  createdAt: time,
}));

const exportedAttempt = described("ExportedAttempt", "An attempt without payload and response.", () => ({
  id,
  webhookId: id,
  deliveryId: id,
  eventId: id,
  eventType: z.string(),
  status: z.enum(["pending", "success", "failed"]),
  responseCode: z.int().nullable(),
  error: z.string().nullable(),
  attemptCount: z.int().min(1),
  attemptedAt: time,
  completedAt: time.nullable(),
}));

export const tenantExport = described(
  "TenantExport",
  "What the service keeps about a tenant, without secrets.",
  () => ({
    exportedAt: time,
    tenant: tenant.unwrap().extend({ externalId: ownId("tenant"), createdAt: time }),
    members: z.array(member),
    invitations: z.array(invitation).meta({ description: "The open invitations." }),
    apiKeys: z.array(keyInExport).meta({ description: "The keys of the members, including ended ones." }),
    subscriptions: z.array(subscription.unwrap().omit({ secret: true })),
    sources: z.array(source.unwrap().omit({ secrets: true, url: true })),
    feeds: z.array(feed),
    catalog: catalogue,
    apps: z.array(tenantApp).optional().meta({ description: "Apps that members have allowed something, if any." }),
    connections: z
      .array(exportedConnection)
      .optional()
      .meta({ description: "The connections of the tenant to its identity providers, if any." }),
    domains: z.array(domainBody).optional().meta({ description: "The domains of the tenant, if any." }),
    directory: z
      .array(exportedRecord)
      .optional()
      .meta({ description: "The people of the tenant's directories, if it has connections." }),
    eventTypes: z.array(eventType).meta({ description: "By name, each with its newest schema; archived ones too." }),
    events: z.array(exportedEvent).meta({ description: "Newest first." }),
    attempts: z.array(exportedAttempt).meta({ description: "By subscription, newest first." }),
    isComplete: z
      .boolean()
      .meta({ description: "False if there are more events or attempts than one answer can hold." }),
  }),
);

export type ExportedRecord = z.infer<typeof exportedRecord>;
export type KeyInExport = z.infer<typeof keyInExport>;
export type AccountExport = z.infer<typeof accountExport>;
export type TenantExport = z.infer<typeof tenantExport>;
