/** A mail of each kind, as the service would send it. The browser's tests look at them. */

import { DEFAULT_COLOR } from "../../src/base/brand";
import type { Config } from "../../src/base/config/config";
import type { ListedCredential, MailJob, NoticeItem } from "../../src/base/mail/job";
import { quotable } from "../../src/base/texts/known";
import { ENGLISH, type Language } from "../../src/base/texts/texts";
import { alarmMail } from "../../src/mailer/alarm-mail";
import * as notices from "../../src/mailer/notices";
import { passwordChangedMail } from "../../src/mailer/password-notices";
import { type MailContent, renderMail } from "../../src/mailer/render";
import { subscriptionNoticeMail } from "../../src/mailer/subscription-notices";
import { operatorNoticeMail, tenantNoticeMail } from "../../src/mailer/tenant-notices";
import * as tokens from "../../src/mailer/token-mails";

const APP_URL = "https://postern.example.com/console";
const TOKEN = "x".repeat(60);
const AT = Date.parse("2026-11-21T23:04:00Z");
const TENANT = "Analytical Engines";
const NAME = "Ada Lovelace";
const URLS = { pagesUrl: APP_URL, appUrl: APP_URL };
const FEED = quotable("quoted.feed", { name: "Billing" });
const JOB = { id: "a", userId: "b" };
const ENDED = { sessions: 2, apiKeys: 1, invitations: 0, tenants: 1, passkeys: 0, identities: 0, twoFactor: true };

const credential = (kind: ListedCredential["kind"], name: string, place: string): ListedCredential => ({
  kind,
  name,
  place,
  scopes: '["event.publish"]',
});

const contextIn = (texts: Language) => ({ ...URLS, name: NAME, texts, revertToken: TOKEN });

const passwordChanged = (texts: Language) =>
  passwordChangedMail({
    ...contextIn(texts),
    credentials: [
      credential("passkey", "Ada's laptop", ""),
      credential("api-key", "CI", "ak_1234… in Analytical Engines"),
    ],
    endedCredentials: [credential("identity", "google", "ada@example.com")],
    old: {
      subscriptions: ["Billing (hooks.example.com)"],
      tenantKeys: ["shop (ak_4fG7…)"],
      connections: [FEED, quotable("quoted.source", { name: "GitHub" })],
    },
    labelOf: () => "Google",
    revokeApiKeysToken: TOKEN,
    ended: undefined,
  });

const item = (name: string, state: NoticeItem["state"], isNew = true): NoticeItem => ({
  webhookId: "0198c0de-0000-7000-8000-000000000000",
  name,
  host: "hooks.example.com",
  state,
  isNew,
  since: AT - 86_400_000,
  disablesAt: AT + 86_400_000,
  failures: 34,
  error: "status 500",
});

const aboutSubscriptions = (texts: Language) =>
  subscriptionNoticeMail(contextIn(texts), {
    kind: "subscriptionAlert",
    ...JOB,
    tenantName: TENANT,
    items: [item("Billing", "atRisk"), item("Analytics", "disabled"), item("Search", "failing", false)],
    more: 2,
  });

const [BY, PERSON] = ["charles@example.com", "grace@example.com"];
const FINDING = { kind: "alarm", id: "a", finding: "deliveriesLate:1", since: AT } as const;
/** What the mail of an alarm reads of the settings. */
const CONFIG = { publicUrl: "https://postern.example.com", appUrl: APP_URL } as Config;

const UNDONE = quotable("quoted.invitation", { email: "eve@example.com", tenant: TENANT, role: "admin" });
const ACT = { action: "webhook.deleted", values: {}, tenant: null, name: null, count: 2 } as const;
const NAMED = [
  { line: "This service: deleted a subscription (2 times)", act: ACT, path: "/webhooks" },
  { line: quotable("quoted.more", { count: "3" }), path: "/activity" },
];

const NEWS: readonly Parameters<typeof tenantNoticeMail>[2][] = [
  { what: "joined", person: PERSON, role: "admin" },
  { what: "roleChanged", by: BY, person: PERSON, role: "owner", subscriptions: ["Billing"], connections: [FEED] },
  { what: "removed", by: BY, person: PERSON, keys: ["shop backend (ak_1234…)"], tenantKeys: ["shop", "app"] },
  { what: "left", person: PERSON },
  { what: "securityChanged", by: BY, requireSecondFactor: "all", graceDays: 7 },
  { what: "exported", by: BY },
  { what: "auditReader", by: BY, subscription: "SIEM", host: "siem.example.com" },
  { what: "auditTrimmed" },
  { what: "imported", by: "shop backend" },
  { what: "domainMissing", domain: "acme.example" },
  { what: "domainLost", domain: "acme.example" },
  { what: "connectionFailing", connection: "Okta" },
  { what: "domainTaken", domain: "acme.example" },
  { what: "domainGiven", domain: "acme.example" },
  { what: "certificateEnds", connection: "Okta", days: 30 },
  { what: "directoryOwner", directory: "Okta", person: PERSON },
  { what: "directoryMany", directory: "Okta", count: 21 },
  { what: "directoryDigest", directory: "Okta", joined: 12, left: 3 },
  { what: "scimTokenEnds", directory: "Okta", days: 7 },
  { what: "domainToReview", domain: "acme.example" },
  { what: "toReview", connection: "Okta" },
  { what: "undone", by: BY, lines: [UNDONE], named: NAMED },
];
type Samples = Readonly<Record<MailJob["kind"], readonly MailContent[]>>;

/** The type asks for a sample of each kind. */
const samplesIn = (texts: Language, context = contextIn(texts)): Samples => ({
  ...linksIn(texts, context),
  ...noticesIn(texts, context),
});

type Linked =
  | ("verification" | "passwordReset" | "mailCode" | "invitation" | "accountTakenOver" | "emailConfirmation")
  | ("emailChanged" | "twoFactorRemoval" | "signOnLink" | "setupLink");
type Context = ReturnType<typeof contextIn>;

const linksIn = (texts: Language, { name }: Context): Pick<Samples, Linked> => ({
  verification: [
    tokens.verificationMail(
      texts,
      APP_URL,
      { createdAt: AT, createdFrom: "London" } as never,
      { provider: "Google", losesPasskey: false },
      TOKEN,
    ),
  ],
  passwordReset: [
    tokens.resetMail(texts, URLS, name, TOKEN, {}),
    tokens.resetMail(texts, URLS, name, TOKEN, { undone: [UNDONE], isFactorLost: true }),
  ],
  mailCode: [
    tokens.codeMail(texts, { name, isVerified: 0 } as never, "123456", {
      device: "Firefox on Linux",
      location: "London",
      ipAddress: "192.0.2.7",
    }),
  ],
  signOnLink: [tokens.signOnLinkMail(texts, `${APP_URL}/sign-on?token=${TOKEN}`, { device: "Firefox on Linux" })],
  invitation: [tokens.invitationMail(texts, APP_URL, { tenantName: TENANT, inviter: BY, role: "developer" }, TOKEN)],
  accountTakenOver: [tokens.reclaimedMail(texts, APP_URL, { ended: ENDED }, TOKEN)],
  emailConfirmation: [
    tokens.newEmailMail(texts, APP_URL, { otherEmail: BY } as never, TOKEN),
    tokens.newEmailMail(texts, APP_URL, { otherEmail: BY } as never, null),
  ],
  emailChanged: [false, true].map((isDone) =>
    notices.emailChangedMail(
      { pagesUrl: APP_URL, revertToken: TOKEN, texts },
      { name: null, otherEmail: BY } as never,
      isDone,
    ),
  ),
  setupLink: [tokens.setupMail(texts, `${APP_URL}/setup`, { tenantName: TENANT, expiresAt: AT }, TOKEN)],
  twoFactorRemoval: [tokens.factorRemovalMail(texts, APP_URL, name, TOKEN)],
});

const noticesIn = (texts: Language, context: Context): Omit<Samples, Linked> => ({
  passwordChanged: [passwordChanged(texts)],
  twoFactorChanged: [notices.twoFactorChangedMail(context, true)],
  recoveryCodesRenewed: [notices.recoveryCodesRenewedMail(context)],
  recoveryCodeUsed: [notices.recoveryCodeUsedMail(context, 3)],
  passkeyAdded: [notices.passkeyAddedMail(context, "Ada's laptop")],
  passkeyRemoved: [notices.passkeyRemovedMail(context, "Ada's laptop")],
  identityLinked: [notices.identityLinkedMail(context, "Google")],
  signOnLinked: [notices.signOnLinkedMail(context, "Acme")],
  identityUnlinked: [notices.identityUnlinkedMail(context, "Google")],
  apiKeyCreated: [notices.apiKeyCreatedMail(context, "CI")],
  platformKeyCreated: [notices.platformKeyCreatedMail(context, "shop backend")],
  signedInOnNewDevice: [
    notices.newDeviceMail(context, {
      kind: "signedInOnNewDevice",
      ...JOB,
      device: "Firefox on Linux",
      signedInAt: AT,
      location: "London",
      ipAddress: "2001:db8:85a3:1234:5678:8a2e:370:7334",
    }),
  ],
  appConnected: [notices.appConnectedMail(context, "Shop")],
  refreshTokenReused: [notices.refreshTokenReusedMail(context), notices.refreshTokenReusedMail(context, "Shop")],
  accountExported: [notices.accountExportedMail(context)],
  secondFactorGuessed: [notices.codesGuessedMail(context, "totp"), notices.codesGuessedMail(context, "code")],
  accountDeleted: [notices.accountDeletedMail(context, AT)],
  tenantDeleted: [notices.tenantDeletedMail(context, TENANT)],
  tenantNotice: NEWS.map((news) => tenantNoticeMail(context, TENANT, news)),
  operatorNotice: [operatorNoticeMail(context, { what: "tenantSuspended", by: BY, id: JOB.id, reason: "Unpaid" })],
  alarm: [null, AT + 600_000].map((endedAt) => alarmMail(CONFIG, texts, { ...FINDING, endedAt })),
  subscriptionAlert: [aboutSubscriptions(texts)],
});

/** What a mail says: each paragraph, and each link with its address. */
const wordsOf = ({ body }: MailContent) =>
  body.flatMap((part) => (typeof part === "string" ? [part] : [part.label, part.url]));

/** What the mails of each kind say in a language. */
export const wordsIn = (texts: Language) =>
  Object.entries(samplesIn(texts)).map(([kind, contents]) => ({
    kind,
    words: contents.flatMap((content) => [content.subject, ...wordsOf(content)]),
  }));

export const MAILS = Object.entries(samplesIn(ENGLISH)).flatMap(([kind, contents]) =>
  contents.map((content, index) => ({
    name: `${kind}-${index + 1}`,
    words: wordsOf(content),
    ...renderMail(content, { name: "Postern", logoUrl: null, color: DEFAULT_COLOR }),
  })),
);
