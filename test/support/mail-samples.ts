/** A mail of each kind, as the service would send it. The browser's tests look at them. */

import { DEFAULT_COLOR } from "../../src/base/brand";
import type { Config } from "../../src/base/config/config";
import type { ListedCredential, MailJob, NoticeItem } from "../../src/base/mail/job";
import { textsIn } from "../../src/base/texts/texts";
import { alarmMail } from "../../src/mailer/alarm-mail";
import * as notices from "../../src/mailer/notices";
import { passwordChangedMail } from "../../src/mailer/password-notices";
import { type MailContent, renderMail } from "../../src/mailer/render";
import { subscriptionNoticeMail } from "../../src/mailer/subscription-notices";
import { operatorNoticeMail, tenantNoticeMail } from "../../src/mailer/tenant-notices";
import * as tokens from "../../src/mailer/token-mails";

const TEXTS = textsIn("en");

const APP_URL = "https://postern.example.com/console";
const TOKEN = "x".repeat(60);
const AT = Date.parse("2026-11-21T23:04:00Z");
const CONTEXT = { appUrl: APP_URL, name: "Ada Lovelace" };
const REVERTIBLE = { ...CONTEXT, pagesUrl: APP_URL, revertToken: TOKEN };
const URLS = { pagesUrl: APP_URL, appUrl: APP_URL };
const JOB = { id: "a", userId: "b" };
const ENDED = { sessions: 2, apiKeys: 1, invitations: 0, tenants: 1, passkeys: 0, identities: 0, twoFactor: true };

const credential = (kind: ListedCredential["kind"], name: string, place: string): ListedCredential => ({
  kind,
  name,
  place,
  scopes: '["event.publish"]',
});

const passwordChanged = passwordChangedMail({
  ...REVERTIBLE,
  credentials: [
    credential("passkey", "Ada's laptop", ""),
    credential("api-key", "CI", "ak_1234… in Analytical Engines"),
  ],
  endedCredentials: [credential("identity", "google", "ada@example.com")],
  old: {
    subscriptions: ["Billing (hooks.example.com)"],
    tenantKeys: ["shop (ak_4fG7…)"],
    connections: ['feed "Billing"', 'source "GitHub"'],
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

const aboutSubscriptions = subscriptionNoticeMail(CONTEXT, {
  kind: "subscriptionAlert",
  ...JOB,
  tenantName: "Analytical Engines",
  items: [item("Billing", "atRisk"), item("Analytics", "disabled"), item("Search", "failing", false)],
  more: 2,
});

const news = (what: Parameters<typeof tenantNoticeMail>[2]) => tenantNoticeMail(CONTEXT, "Analytical Engines", what);
const [BY, PERSON] = ["charles@example.com", "grace@example.com"];
const FINDING = { kind: "alarm", id: "a", finding: "deliveriesLate:1", since: AT } as const;
/** What the mail of an alarm reads of the settings. */
const config = { publicUrl: "https://postern.example.com", appUrl: APP_URL } as Config;

const ABOUT_TENANTS = [
  news({ what: "joined", person: PERSON, role: "admin" }),
  news({ what: "roleChanged", by: BY, person: PERSON, role: "owner" }),
  news({ what: "removed", by: BY, person: PERSON, keys: ["shop backend (ak_1234…)"] }),
  news({ what: "left", person: PERSON }),
  news({ what: "securityChanged", by: BY, requireSecondFactor: "all", graceDays: 7 }),
  news({ what: "exported", by: BY }),
  news({ what: "auditReader", by: BY, subscription: "SIEM", host: "siem.example.com" }),
  news({ what: "auditTrimmed" }),
  news({ what: "imported", by: "shop backend" }),
  news({ what: "undone", by: BY, lines: ["The invitation of eve@example.com was revoked."] }),
];

/** The type asks for a sample of each kind. */
const SAMPLES: Readonly<Record<MailJob["kind"], readonly MailContent[]>> = {
  verification: [
    tokens.verificationMail(
      TEXTS,
      APP_URL,
      { createdAt: AT, createdFrom: "London" } as never,
      { provider: "Google", losesPasskey: false },
      TOKEN,
    ),
  ],
  passwordReset: [
    tokens.resetMail(TEXTS, URLS, CONTEXT.name, TOKEN, {}),
    tokens.resetMail(TEXTS, URLS, CONTEXT.name, TOKEN, { undone: ["A role was changed back."], isFactorLost: true }),
  ],
  mailCode: [
    tokens.codeMail(TEXTS, { name: CONTEXT.name, isVerified: 0 } as never, "123456", {
      device: "Firefox on Linux",
      location: "London",
      ipAddress: "192.0.2.7",
    }),
  ],
  invitation: [
    tokens.invitationMail(TEXTS, APP_URL, { tenantName: "Analytical Engines", inviter: BY, role: "developer" }, TOKEN),
  ],
  accountTakenOver: [tokens.reclaimedMail(APP_URL, { ended: ENDED }, TOKEN)],
  passwordChanged: [passwordChanged],
  emailConfirmation: [
    tokens.newEmailMail(TEXTS, APP_URL, { otherEmail: BY } as never, TOKEN),
    tokens.newEmailMail(TEXTS, APP_URL, { otherEmail: BY } as never, null),
  ],
  emailChanged: [false, true].map((isDone) =>
    notices.emailChangedMail(
      { pagesUrl: APP_URL, revertToken: TOKEN },
      { name: null, otherEmail: BY } as never,
      isDone,
    ),
  ),
  twoFactorChanged: [notices.twoFactorChangedMail(REVERTIBLE, true)],
  twoFactorRemoval: [tokens.factorRemovalMail(APP_URL, CONTEXT.name, TOKEN)],
  recoveryCodesRenewed: [notices.recoveryCodesRenewedMail(REVERTIBLE)],
  recoveryCodeUsed: [notices.recoveryCodeUsedMail(CONTEXT, 3)],
  passkeyAdded: [notices.passkeyAddedMail(REVERTIBLE, "Ada's laptop")],
  passkeyRemoved: [notices.passkeyRemovedMail(CONTEXT, "Ada's laptop")],
  identityLinked: [notices.identityLinkedMail(REVERTIBLE, "Google")],
  identityUnlinked: [notices.identityUnlinkedMail(CONTEXT, "Google")],
  apiKeyCreated: [notices.apiKeyCreatedMail(REVERTIBLE, "CI")],
  platformKeyCreated: [notices.platformKeyCreatedMail(CONTEXT, "shop backend")],
  signedInOnNewDevice: [
    notices.newDeviceMail(REVERTIBLE, {
      kind: "signedInOnNewDevice",
      ...JOB,
      device: "Firefox on Linux",
      signedInAt: AT,
      location: "London",
      ipAddress: "2001:db8:85a3:1234:5678:8a2e:370:7334",
    }),
  ],
  appConnected: [notices.appConnectedMail(REVERTIBLE, "Shop")],
  refreshTokenReused: [notices.refreshTokenReusedMail(CONTEXT), notices.refreshTokenReusedMail(CONTEXT, "Shop")],
  accountExported: [notices.accountExportedMail(CONTEXT)],
  secondFactorGuessed: [notices.codesGuessedMail(CONTEXT, "totp"), notices.codesGuessedMail(CONTEXT, "code")],
  accountDeleted: [notices.accountDeletedMail(CONTEXT.name, AT)],
  tenantDeleted: [notices.tenantDeletedMail(CONTEXT, "Analytical Engines")],
  tenantNotice: ABOUT_TENANTS,
  operatorNotice: [operatorNoticeMail(CONTEXT, { what: "tenantSuspended", by: BY, id: JOB.id, reason: "Unpaid" })],
  alarm: [alarmMail(config, { ...FINDING, endedAt: null }), alarmMail(config, { ...FINDING, endedAt: AT + 600_000 })],
  subscriptionAlert: [aboutSubscriptions],
};

/** What a mail says: each paragraph, and each link with its address. */
const wordsOf = ({ body }: MailContent) =>
  body.flatMap((part) => (typeof part === "string" ? [part] : [part.label, part.url]));

export const MAILS = Object.entries(SAMPLES).flatMap(([kind, contents]) =>
  contents.map((content, index) => ({
    name: `${kind}-${index + 1}`,
    words: wordsOf(content),
    ...renderMail(content, { name: "Postern", logoUrl: null, color: DEFAULT_COLOR }),
  })),
);
