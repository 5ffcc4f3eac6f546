/** What exports of accounts and tenants contain. */
import type { ApiKey } from "./api-keys";
import type { AuditEvent } from "./audit";
import type { Identity } from "./identities";
import type { Invitation } from "./invitations";
import type { Member } from "./members";
import type { Passkey } from "./passkeys";
import type { Session } from "./sessions";
import type { Subscription } from "./subscriptions";
import type { Role, Tenant, Timestamp } from "./types";

/** An API key without the key itself. */
export interface ExportedApiKey extends ApiKey {
  tenantId: string;
  userId: string;
  revokedAt: Timestamp | null;
}

/** Everything that the service keeps about a user, in all tenants. */
export interface AccountExport {
  exportedAt: Timestamp;
  profile: {
    id: string;
    email: string;
    name: string | null;
    emailVerified: boolean;
    twoFactorEnabled: boolean;
    createdAt: Timestamp;
  };
  memberships: { tenantId: string; tenantName: string; role: Role; alerts: boolean; joinedAt: Timestamp }[];
  sessions: Session[];
  passkeys: Passkey[];
  identities: Identity[];
  /** The keys in all tenants, including ended ones. */
  apiKeys: ExportedApiKey[];
  /** The newest 10,000 audit events of the account, newest first. */
  activity: AuditEvent[];
}

/** An event without its payload. */
export interface ExportedEvent {
  id: string;
  type: string;
  correlationId: string | null;
  deliveries: number;
  createdAt: Timestamp;
}

/** An attempt without payload and response. */
export interface ExportedAttempt {
  id: string;
  webhookId: string;
  deliveryId: string;
  eventId: string;
  eventType: string;
  status: "pending" | "success" | "failed";
  responseCode: number | null;
  error: string | null;
  attemptCount: number;
  attemptedAt: Timestamp;
  completedAt: Timestamp | null;
}

/** What the service keeps about a tenant, without secrets. */
export interface TenantExport {
  exportedAt: Timestamp;
  tenant: Tenant & { createdAt: Timestamp };
  members: Member[];
  /** The open invitations. */
  invitations: Invitation[];
  /** The keys of the members, including ended ones. */
  apiKeys: ExportedApiKey[];
  subscriptions: Omit<Subscription, "secret">[];
  events: ExportedEvent[];
  attempts: ExportedAttempt[];
  /** False if there are more events or attempts than one answer can hold. */
  isComplete: boolean;
}
