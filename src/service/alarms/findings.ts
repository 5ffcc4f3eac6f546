/** What can be wrong with the service, for the people who run it. */
import { ENGLISH, type Language } from "../../base/texts/texts";

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

const RUNBOOKS: Readonly<Record<FindingKind, string>> = {
  deadLetters: "runbooks/dead-letters",
  deliveriesLate: "runbooks/late-deliveries",
  lanesLate: "runbooks/late-lanes",
  databaseFull: "runbooks/database-full",
  mailFailing: "runbooks/mail",
  legacyLoginFailing: "runbooks/legacy-login",
  keyMissing: "runbooks/missing-key",
  settingRefused: "runbooks/setting",
  roleMissing: "runbooks/setting",
};

export const findingOf = (kind: FindingKind, of: string | number = ""): string => `${kind}:${of}`;

/**
 * What people are told about a finding, which is its kind and, after a colon, what it is about. The page of the
 * operators is in English.
 */
export function describeFinding(finding: string, texts: Language = ENGLISH): Description {
  const [kind = "", of = ""] = finding.split(":");
  const told = (part: "title" | "what" | "advice") => texts.say(`alarm.${kind as FindingKind}.${part}`, { of });
  const runbook = RUNBOOKS[kind as FindingKind];
  return { title: told("title"), what: told("what"), advice: told("advice"), runbook };
}
