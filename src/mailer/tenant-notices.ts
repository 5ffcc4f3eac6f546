/** Mails to the owners of a tenant, and to a member, about a change in it. */
import type { OperatorNews, TenantNews } from "../base/mail/job";
import type { NoticeContext } from "./notices";
import { type MailContent, mailTo, namedLinks } from "./render";

/** The sentence about some news, and what to do if it is bad news. */
function describeNews(news: TenantNews, tenantName: string): { subject: string; body: string[] } {
  switch (news.what) {
    case "joined":
      return { subject: "Somebody joined your tenant", body: [`${news.person} joined ${tenantName} as ${news.role}.`] };
    case "roleChanged":
      return {
        subject: "A role was changed in your tenant",
        body: [`${news.by} gave ${news.person} the role ${news.role} in ${tenantName}.`, ...describeLeft(news)],
      };
    case "removed":
      return {
        subject: "Somebody was removed from your tenant",
        body: [
          `${news.by} removed ${news.person} from ${tenantName}.`,
          ...describeKeys(news.keys),
          ...describeLeft(news),
        ],
      };
    case "left":
      return {
        subject: "Somebody left your tenant",
        body: [`${news.person} left ${tenantName}.`, ...describeKeys(news.keys), ...describeLeft(news)],
      };
    case "securityChanged":
      return {
        subject: "Who needs a second factor in your tenant was changed",
        body: [`${news.by} changed the policy of ${tenantName}: ${describePolicy(news)}.`],
      };
    case "exported":
      return { subject: "Your tenant was exported", body: [`${news.by} exported the data of ${tenantName}.`] };
    case "auditReader":
      return {
        subject: "The audit log is sent to a subscription",
        body: [
          `${news.by} set up the subscription "${news.subscription}" of ${tenantName}: it sends the audit log to ` +
            `${news.host}.`,
        ],
      };
    case "auditTrimmed":
      return { subject: "The audit log of your tenant is full", body: [describeTrimmed(tenantName)] };
    case "imported":
      return {
        subject: "Owners or admins are imported into your tenant",
        body: [
          `${news.by} imports people into ${tenantName}, some of them as owners or admins. The audit log of the ` +
            "tenant names each of them.",
        ],
      };
    case "undone":
      return {
        subject: "Changes in your tenant were undone",
        body: [
          `${news.by} told us that somebody else has used their account.`,
          ...(news.lines.length > 0 ? [`We have undone this in ${tenantName}:`, ...news.lines] : []),
        ],
      };
  }
}

const describeTrimmed = (tenantName: string): string =>
  `The audit log of ${tenantName} has reached the number of events that this service keeps. Its oldest events are ` +
  "being removed, none of them younger than 90 days. Export the log if you need them, and look for somebody who " +
  "makes unusually many changes.";

function describeKeys(keys: readonly string[] = []): string[] {
  if (keys.length === 0) return [];
  return [
    `${keys.length === 1 ? "This API key" : "These API keys"} stopped working at once: ${keys.join(", ")}.`,
    "If a system of yours used one, give it a key that belongs to the tenant: it keeps working when people leave.",
  ];
}

type Leaving = Extract<TenantNews, { what: "roleChanged" | "removed" | "left" }>;

const describeLeft = (news: Leaving): string[] => [
  ...describeSubscriptions(news),
  ...describeTenantKeys(news),
  ...describeConnections(news),
];

function describeConnections({ person, connections = [] }: Leaving): string[] {
  if (connections.length === 0) return [];
  return [
    `${person} knows the tokens or secrets of what still works: ${connections.join(", ")}. Replace the tokens of ` +
      "feeds, and the secrets of sources; turn off or delete what nobody else needs.",
  ];
}

function describeTenantKeys({ person, tenantKeys = [] }: Leaving): string[] {
  if (tenantKeys.length === 0) return [];
  const which =
    tenantKeys.length === 1
      ? "this API key of the tenant, which still works"
      : "these API keys of the tenant, which still work";
  return [`${person} has made ${which}: ${tenantKeys.join(", ")}. Replace what they may have kept.`];
}

function describeSubscriptions({ person, subscriptions = [] }: Leaving): string[] {
  if (subscriptions.length === 0) return [];
  return [
    `${person} has set up ${subscriptions.length === 1 ? "this subscription" : "these subscriptions"}, which still ` +
      `${subscriptions.length === 1 ? "receives" : "receive"} events: ${subscriptions.join(", ")}.`,
    "Pause what nobody else needs. Rotate the secret of what stays, because they know it.",
  ];
}

function describePolicy({ requireSecondFactor, graceDays }: Extract<TenantNews, { what: "securityChanged" }>): string {
  if (requireSecondFactor === "off") return "nobody needs a second factor any more";
  const who = requireSecondFactor === "all" ? "every member needs" : "owners and admins need";
  return (
    `${who} a second factor, ` +
    `${graceDays === 0 ? "from now on" : `in ${graceDays === 1 ? "1 day" : `${graceDays} days`}`}`
  );
}

/** News about a tenant, for its owners and for a member whom they concern. */
export function tenantNoticeMail({ appUrl, name }: NoticeContext, tenantName: string, news: TenantNews): MailContent {
  const { subject, body } = describeNews(news, tenantName);
  const named = news.what === "undone" ? (news.named ?? []) : [];
  return mailTo(name, subject, [
    ...body,
    ...(named.length > 0 ? ["This was done too, and stays until somebody changes it back:"] : []),
    ...namedLinks(appUrl, named),
    "You are told because an intruder would make such changes. If you expected this, you need not do anything.",
  ]);
}

const OPERATOR_SUBJECTS = {
  tenantSuspended: "An operator suspended a tenant",
  personSuspended: "An operator suspended a person",
  sendsHeld: "An operator froze all deliveries",
} as const;

/** What another operator of the service has done. */
export function operatorNoticeMail({ name }: NoticeContext, { what, by, id, reason }: OperatorNews): MailContent {
  const done = {
    tenantSuspended: `${by} suspended the tenant ${id}.`,
    personSuspended: `${by} suspended the person ${id}.`,
    sendsHeld: `${by} froze the deliveries of all tenants. They wait until an operator releases them.`,
  }[what];
  return mailTo(name, OPERATOR_SUBJECTS[what], [
    done,
    ...(reason ? [`Reason: ${reason}`] : []),
    "You are told because you operate this service too. The log of the operators has all details.",
  ]);
}
