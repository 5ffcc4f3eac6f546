/** The bounds of accounts, tenants and what belongs to them, in the control plane. */
import type { TableBounds } from "./bound";

export const BOUNDS_OF_ACCOUNTS = {
  tenants: {
    grower: ["stranger", "person", "product"],
    rows: "one for each registration (`register`); those of platform keys (`platformWrite`)",
    bytes: "1 KiB",
    isCounted: false,
    ends: "`removeAbandoned` with its only account; when it is deleted (`continuePurges`)",
    test: "identity/expire.isolated.test.ts > go with their tenant once no session and no key leads to them",
  },
  users: {
    grower: ["stranger", "product"],
    rows: "`register` for each address and network; those of platform keys (`platformWrite`)",
    bytes: "2 KiB",
    isCounted: false,
    ends: "`removeAbandoned`, 30 days after the last use without a verified address; when it is deleted",
    test: "base/limits.test.ts > count the /24 of IPv4 addresses for registrations, not for logins",
  },
  memberships: {
    grower: ["tenant", "person", "product"],
    rows: "`MAX_MEMBERS_PER_TENANT` a tenant",
    bytes: "250 bytes",
    isCounted: false,
    ends: "when the member leaves or is removed",
    test: "base/caps-in-parallel.test.ts > members per tenant, by acceptance",
  },
  sessions: {
    grower: ["person"],
    rows: "`MAX_SESSIONS_PER_USER` a person: beyond that, the oldest ends, and no sign-in is refused",
    bytes: "1 KiB",
    isCounted: false,
    ends: "`deleteExpired`, 30 days after it has expired",
    test: "base/caps-in-parallel.test.ts > sessions per user: the oldest end",
  },
  known_devices: {
    grower: ["person"],
    rows: "50 a person: beyond that, the one seen the longest ago is forgotten, and is announced when it comes back",
    bytes: "150 bytes",
    isCounted: false,
    ends: "`deleteExpired`, 90 days after it was last seen",
    test: "identity/known-devices.test.ts > is at most 50 devices, those that were seen last",
  },
  email_tokens: {
    grower: ["stranger", "person", "tenant"],
    rows:
      "one for each link that is asked for (`verificationMail`, `resetMail`, `invite`) and each act that a link can " +
      "undo, of which `passkeys` allows the most",
    bytes: "2 KiB for 72 hours, then 300 bytes",
    isCounted: false,
    ends: "`deleteExpired`, 30 days after it has expired",
    test: "identity/expire.isolated.test.ts > go 30 days after their end, live ones stay",
  },
  passkeys: {
    grower: ["person"],
    rows: "10 a person",
    bytes: "2 KiB",
    isCounted: false,
    ends: "when it is removed",
    test: "identity/passkey-refusals.test.ts > beyond ten passkeys, also when fourteen are added at once",
  },
  identities: {
    grower: ["person", "product"],
    rows: "10 a person",
    bytes: "3 KiB",
    isCounted: false,
    ends: "when it is removed",
    test: "identity/identities.test.ts > ends with the session that began it, and at ten identities",
  },
  api_keys: {
    grower: ["person", "tenant"],
    rows:
      "`MAX_API_KEYS_PER_USER` and `MAX_API_KEYS_PER_TENANT` that work, and 100 times as many with those that have " +
      "ended; `createApiKey`",
    bytes: "1 KiB",
    isCounted: false,
    ends: "`deleteExpired`, `AUDIT_RETENTION_DAYS` after it has ended",
    test: "base/kept-rows.isolated.test.ts > API keys",
  },
  invitations: {
    grower: ["tenant"],
    rows: "`MAX_INVITATIONS_PER_TENANT` that are open; `invite`",
    bytes: "600 bytes",
    isCounted: false,
    ends: "`deleteExpired`, 30 days after it has expired",
    test: "base/caps-in-parallel.test.ts > open invitations per tenant",
  },
  mail_codes: {
    grower: ["stranger", "person"],
    rows: "one for each mailed code that somebody has tried (`requestCode`, `codeMail`)",
    bytes: "50 bytes",
    isCounted: false,
    ends: "`deleteExpired`, 30 days after it was mailed",
    test: "identity/email-codes.test.ts > 50 wrong ones are checked five times, and then the right one is refused",
  },
  recovery_codes: {
    grower: ["person"],
    rows: "10 a person: a new set replaces the old one",
    bytes: "120 bytes",
    isCounted: false,
    ends: "when two-factor authentication is turned off",
    test: "identity/two-factor.test.ts > there are ten, and each works once, even in parallel",
  },
  used_states: {
    grower: ["person"],
    rows:
      "one for each challenge or code of a provider that was used rightly (`login`, `passkeys`, `oauthExchange`), " +
      "with another for an assertion of SAML; one for each of its certificates in its last 30 days",
    bytes: "100 bytes",
    isCounted: false,
    ends: "`deleteExpired`, an hour after it would have expired",
    test: "identity/passkey-refusals.test.ts > of 20 parallel ones with one answer, all but one",
  },
  revocations: {
    grower: ["person", "tenant", "operator"],
    rows:
      "one for each session or membership that ends while a token of it works, so no more than `login` and " +
      "`changeRole` allow; the list that others read names whole tenants beyond 500 keys",
    bytes: "150 bytes",
    isCounted: false,
    ends: "`deleteExpired`, 960 seconds later",
    test: "identity/revoked-list.test.ts > names a tenant instead of more than 500 keys, and no other",
  },
  purges: {
    grower: ["person", "tenant", "product"],
    rows: "one for each account or tenant that is being deleted (`deleteAccount`, `deleteTenant`, `platformWrite`)",
    bytes: "40 KiB: the ids of 1,000 members",
    isCounted: false,
    ends: "`continuePurges`, once nothing is left of it",
    test: "lifecycle/deletion.test.ts > of ten requests at once exactly one succeeds, and one purge is begun",
  },
  purge_members: {
    grower: ["person", "tenant", "product"],
    rows: "one for each further 1,000 members of a tenant that is being deleted",
    bytes: "40 KiB",
    isCounted: false,
    ends: "`continuePurges`, with its purge",
    test: "identity/many-members.isolated.test.ts > stores no value that is larger than D1 takes, and forgets nobody",
  },
} satisfies TableBounds;
