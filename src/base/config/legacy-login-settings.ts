/** The settings of the legacy login: the former service is asked about passwords that this one does not know. */
import * as z from "zod";
import { isPrivateHost } from "../private-host";

const MIN_SECRET_CHARACTERS = 32;
const MAX_URL_CHARACTERS = 2_048;

const text = z.string().trim().prefault("");
const missing = z.literal("").transform(() => undefined);

export const LEGACY_LOGIN_VARIABLES = {
  LEGACY_LOGIN_URL: {
    description:
      "Where your former service says whether a password is right; see [Ask your former " +
      "service](moving-in.md#ask-your-former-service). Empty: it is not asked.",
    must:
      "be an https URL of a public host, without credentials, or empty; http and private hosts if WEBHOOK_EGRESS " +
      "is any",
    schema: text.pipe(missing.or(z.string().max(MAX_URL_CHARACTERS).refine(isUrl))),
  },
  LEGACY_LOGIN_SECRET: {
    description: "The secret that signs what is sent to `LEGACY_LOGIN_URL`. A secret, not a variable; optional.",
    must: `be at least ${MIN_SECRET_CHARACTERS} characters, or missing`,
    schema: text.pipe(missing.or(z.string().min(MIN_SECRET_CHARACTERS))),
  },
  LEGACY_LOGIN_UNTIL: {
    description: "When the former service is no longer asked, such as `2027-06-30` or `2027-06-30T12:00:00Z`.",
    must: "be a date or a time in ISO 8601, or empty",
    schema: text.pipe(
      missing.or(
        z.iso
          .date()
          .or(z.iso.datetime({ offset: true }))
          .transform((iso) => Date.parse(iso)),
      ),
    ),
  },
} as const;

/** The former service. */
export interface LegacyLogin {
  url: string;
  secret: string;
  /** It is not asked from then on, Unix ms. */
  until: number;
}

/** Reads a variable. */
interface Read {
  (name: "LEGACY_LOGIN_URL" | "LEGACY_LOGIN_SECRET"): string | undefined;
  (name: "LEGACY_LOGIN_UNTIL"): number | undefined;
}

/**
 * Combines the variables; null when all are missing. Adds to `problems` those that are missing while others are set,
 * and a URL that webhooks could not have either.
 */
export function readLegacyLogin(
  read: Read,
  egress: "public" | "any" | undefined,
  problems: string[],
): LegacyLogin | null {
  const [url, secret, until] = [read("LEGACY_LOGIN_URL"), read("LEGACY_LOGIN_SECRET"), read("LEGACY_LOGIN_UNTIL")];
  const set = { LEGACY_LOGIN_URL: url, LEGACY_LOGIN_SECRET: secret, LEGACY_LOGIN_UNTIL: until };
  if (Object.values(set).every((value) => value === undefined)) return null;
  for (const [name, value] of Object.entries(set)) {
    const isNamed = problems.some((problem) => problem.startsWith(`${name} `));
    if (value === undefined && !isNamed) problems.push(`${name} must be set with the other settings LEGACY_LOGIN_...`);
  }
  if (url === undefined || secret === undefined || until === undefined) return null;
  const { protocol, hostname } = new URL(url);
  if (egress !== "any" && (protocol !== "https:" || isPrivateHost(hostname))) {
    problems.push(`LEGACY_LOGIN_URL must ${LEGACY_LOGIN_VARIABLES.LEGACY_LOGIN_URL.must}`);
  }
  return { url, secret, until };
}

function isUrl(given: string): boolean {
  const url = URL.parse(given);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" && !url.username && !url.password;
}
