/** What can be wrong with the service: the texts for the people who run it. */

export const FINDING_KINDS = [
  "deadLetters",
  "deliveriesLate",
  "lanesLate",
  "databaseFull",
  "mailFailing",
  "legacyLoginFailing",
  "keyMissing",
  "settingRefused",
  "roleMissing",
] as const;

/** A finding is a kind and what it is about: a queue, a delivery database, a key; "" for the service. */
export type FindingKind = (typeof FINDING_KINDS)[number];

interface Description {
  title: string;
  /** What is wrong, in a sentence. */
  what: string;
  /** What to do. */
  advice: string;
  /** The page of the documentation that says more. */
  runbook: string;
}

const DESCRIPTIONS: Record<FindingKind, (of: string) => Description> = {
  deadLetters: (queue) => ({
    title: `Dead letters in the ${queue} queue`,
    what: `The ${queue} queue has given up on messages in this hour or the one before.`,
    advice: 'Search the log for the line "dead letter", which says what each message was for.',
    runbook: "runbooks/dead-letters",
  }),
  deliveriesLate: (shard) => ({
    title: `Deliveries are late in database ${shard}`,
    what: `The oldest due delivery of delivery database ${shard} has waited for more than five minutes.`,
    advice: "Look for errors from D1 in the log, and check the backlogs of the queues.",
    runbook: "runbooks/late-deliveries",
  }),
  lanesLate: (shard) => ({
    title: `Subscriptions do not catch up in database ${shard}`,
    what:
      `Deliveries of delivery database ${shard} wait behind others of their own subscription: for more than five ` +
      "minutes although it answers in time, or for more than an hour although it is slow.",
    advice: "Look for the subscription on the operators' page. Is its receiver slow, or does the sweep fail?",
    runbook: "runbooks/late-lanes",
  }),
  databaseFull: (shard) => ({
    title: `Database ${shard} is more than 85 % full`,
    what: `Delivery database ${shard} is more than 85 % full. It gets no new tenants.`,
    advice: 'Add a database with "npm run deploy -- --add-shard", or keep data for fewer days.',
    runbook: "runbooks/database-full",
  }),
  mailFailing: () => ({
    title: "Mails are not sent",
    what: "No mail has been sent for ten minutes, and each try has failed.",
    advice:
      'Search the log for the line "mail not sent"; its field "cause" says why. The mails are tried again for 26 ' +
      "hours.",
    runbook: "runbooks/mail",
  }),
  legacyLoginFailing: () => ({
    title: "The former service does not answer",
    what: "The former service has answered no sign-in for ten minutes, and each try has failed.",
    advice:
      'Search the log for the line "legacy login failed"; its field "reason" says why. People whose password is here ' +
      "already sign in as usual.",
    runbook: "runbooks/legacy-login",
  }),
  keyMissing: (keyId) => ({
    title: "A key that is in use was taken out of SECRET_KEYS",
    what:
      `Stored secrets are encrypted with the key ${keyId}, which SECRET_KEYS does not have. Whatever needs them ` +
      "waits or is refused.",
    advice: "Put the key back, behind the others.",
    runbook: "runbooks/missing-key",
  }),
  settingRefused: (name) => ({
    title: `The setting ${name} is wrong`,
    what: `The setting ${name} is wrong, so what it sets up is off.`,
    advice: 'Search the log for the line "optional settings refused", which says what it must be. Then deploy again.',
    runbook: "runbooks/setting",
  }),
  roleMissing: (role) => ({
    title: `The role ${role} is not in ROLES`,
    what: `The setting ROLES does not have the role ${role}, so members who have it count as "member".`,
    advice: "Put the role back into ROLES, or give those members another one.",
    runbook: "runbooks/setting",
  }),
};

export const findingOf = (kind: FindingKind, of: string | number = ""): string => `${kind}:${of}`;

/** What people are told about a finding, which is its kind and, after a colon, what it is about. */
export function describeFinding(finding: string): Description {
  const [kind = "", of = ""] = finding.split(":");
  return DESCRIPTIONS[kind as FindingKind](of);
}
