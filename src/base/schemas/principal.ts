/** An authenticated caller: who it is, in which tenant, and with which permissions at present. */
import type { Recheck } from "../db/recheck";
import type { Actor } from "./actor";
import type { Locale } from "./locales";
import type { PlatformScope } from "./platform-scopes";
import type { PortalTheme, SetupTask } from "./portal-schemas";
import type { Permission, Role } from "./roles";
import type { TenantRef } from "./tenant-ref";

/**
 * How somebody has shown who they are in a session: `recovery` is a recovery code, `code` a mailed one.
 * `synced-passkey` stands beside `passkey` for one that is backed up: it can be on several devices. `trusted-mfa`
 * stands beside `sign-on` where the tenant trusts its provider to have asked for several factors.
 */
export type AuthMethod =
  | "password"
  | "code"
  | "provider"
  | "sign-on"
  | "trusted-mfa"
  | "passkey"
  | "synced-passkey"
  | "totp"
  | "recovery";

/** The user of a session, and the name of the tenant. Times are Unix ms. */
export interface Account {
  /** JSON list: the public metadata of the user, the tenant and the member, each as JSON or null. */
  publicMetadata: string;
  email: string;
  /** What the product calls the user. */
  externalId: string | null;
  name: string | null;
  locale: Locale | null;
  emailVerifiedAt: number | null;
  /** 0 while only a sign-in provider vouches for the address. */
  isProvenByMail: 0 | 1;
  totpEnabledAt: number | null;
  /** 1 if two-factor authentication is on without any recovery code that is left. */
  lacksRecoveryCodes: 0 | 1;
  createdAt: number;
  tenantName: string;
  /** 1 if the user gets mails about failing subscriptions of the tenant, provided that the role is owner or admin. */
  alerts: 0 | 1;
}

/** A tenant, and what decides how much it may do. */
export interface TenantStanding {
  tenantId: string;
  /** Whether one of its owners has a verified email address, or the product vouches for the tenant. */
  hasVerifiedOwner: boolean;
  /** The platform key that acts in it, which has a limit of its own for events. */
  platformKeyId?: string;
  /** What the tenant stores, as the hourly upkeep has counted it; 0 or missing while that is far below the limit. */
  storedBytes?: number;
  /** The size of its delivery database at the last hour. */
  databaseBytes?: number;
  /** From when its long payloads are stored compressed, Unix ms; null or missing: not yet. */
  compressesFrom?: number | null;
  /** Whether it has feeds, whose events get an entry when they are published. */
  hasFeeds?: boolean;
  /** Increases with each change of the rules that its publishing obeys; null or missing: there are none. */
  rulesRevision?: number | null;
  /** Increases with each change of the platform's event types, which hold in every tenant; as `rulesRevision`. */
  platformRevision?: number | null;
  /** Checks the caller in the batch that publishes; missing: the caller was read for this request. */
  recheck?: Recheck;
}

interface Caller extends TenantRef, TenantStanding {
  /** Empty for a key that belongs to no person. */
  userId: string;
  /** Whether an operator has suspended the tenant. */
  isTenantSuspended: boolean;
  /** What the product calls the tenant. */
  tenantExternalId: string | null;
  permissions: ReadonlySet<Permission>;
  actor: Actor;
  /** The feed whose token the caller has; it may use no other. Missing for other credentials. */
  feedId?: string;
}

/** A person with a bearer access token or a console session. */
export interface SessionPrincipal extends Caller {
  kind: "session";
  role: Role;
  sessionId: string;
  /** When the user signed in, or last gave the password or a code again; Unix ms. */
  confirmedAt: number;
  /** The tenant's own provider, whose sign-on has opened the session; null: the person's own credential has. */
  connectionId: string | null;
  /** How the session was opened and confirmed; empty for sessions from before this was stored. */
  methods: readonly AuthMethod[];
  /** From when the tenant's policy lets the user in only to set up a second factor (Unix ms); null for never. */
  secondFactorDueAt: number | null;
  /** From when the tenant lets nobody in who has not signed on at its own provider (Unix ms); null for never. */
  signOnDueAt: number | null;
  account: Account;
}

/** A program with an API key. It acts within the key's scopes, for the key's owner or for the tenant itself. */
export interface ApiKeyPrincipal extends Caller {
  kind: "api-key";
}

/** The product itself, with a platform key: in the tenant that the request names, or in all that the key sees. */
export interface PlatformKeyPrincipal extends Caller {
  kind: "platform-key";
  scopes: ReadonlySet<PlatformScope>;
  /** The ids of the tenants that the key sees; null: all. */
  tenants: readonly string[] | null;
}

/** A customer of the tenant with a portal link that was opened, or with a portal token. The actor has its id. */
export interface PortalPrincipal extends Caller {
  kind: "portal";
  portal: Portal;
}

/** What the pages of a portal or a setup link show of it. */
export interface Portal {
  tenantName: string;
  /** Unix ms. */
  expiresAt: number;
  /** Null: that of the console. */
  theme: PortalTheme | null;
  /** Where the pages lead back to; null: nowhere. */
  returnUrl: string | null;
}

/** Somebody of the customer's IT with a setup link that was opened. The actor has its id. */
export interface SetupPrincipal extends Caller {
  kind: "setup";
  setup: Portal & {
    may: ReadonlySet<SetupTask>;
    /** The only connection that it reaches; null: none yet. */
    connectionId: string | null;
  };
}

export type Principal = SessionPrincipal | ApiKeyPrincipal | PlatformKeyPrincipal | PortalPrincipal | SetupPrincipal;

/** Whether the caller has a session that the tenant's own sign-on has opened: it is of this tenant alone. */
export const isConfined = (principal: Principal): boolean =>
  principal.kind === "session" && principal.connectionId !== null;

/** The one tenant of which a confined session learns and changes something; null for others, which are of all. */
export const confinedTo = (principal: Principal): string | null => (isConfined(principal) ? principal.tenantId : null);

/** What a confined session is told where only the person's own credential will do. */
export const OWN_CREDENTIALS_NEEDED = "Sign in with your own credentials for this.";

/** The user who is signed in to the console, as its pages show them. */
export interface CurrentUser {
  principal: SessionPrincipal;
  email: string;
  name: string | null;
  emailVerified: boolean;
  twoFactorEnabled: boolean;
  /** Whether two-factor authentication is on without any recovery code that is left. */
  lacksRecoveryCodes: boolean;
  tenantName: string;
  /** Of the session's cookie: how often it was replaced. */
  cookieGeneration: number;
  /** All tenants that the user is a member of, by name. */
  tenants: readonly { id: string; name: string }[];
}
