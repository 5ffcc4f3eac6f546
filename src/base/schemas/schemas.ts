/**
 * Schemas of single values that several resources share. Pure zod, like every `schemas.ts`, because clients derive
 * types from them.
 */
import * as z from "zod";
import { ERROR_CODES } from "../errors";
import { isExactNumber } from "../exact-json";
import { lowerUuid } from "../uuid";
import { LOCALES } from "./locales";
import { isRole, PERMISSIONS } from "./roles";

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 256;
const MAX_EMAIL_CHARACTERS = 254;
/**
 * The addresses that browsers take (`type=email` of the HTML standard), but dots stand between atoms (RFC 5322 section
 * 3.2.3), and the domain has a top level that is no number and may be an A-label (RFC 5890).
 */
const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+";
const DOMAIN = String.raw`(?:[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?\.)+`;
const TOP_LEVEL = String.raw`(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z\d-]{0,58}[A-Za-z\d])`;
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${DOMAIN}${TOP_LEVEL}$`);
/** RFC 5321 section 4.5.3.1.1. */
const LOCAL_PART = /^[^@]{1,64}@/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;
/** Without \\u, which RE2 does not know. */
const ONE_LINE = "^[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$";

/**
 * An email address in the form that identifies accounts: NFKC-normalised, trimmed and lower-cased before it is
 * validated.
 */
export const email = z
  .string()
  .max(1000)
  .meta({ examples: ["ada@example.com"] })
  .transform((text) => text.normalize("NFKC").trim().toLowerCase())
  .pipe(
    z
      .email({ abort: true, pattern: ADDRESS })
      .max(MAX_EMAIL_CHARACTERS)
      .regex(LOCAL_PART, "Must have at most 64 characters before the @"),
  )
  .meta({ format: "email", maxLength: MAX_EMAIL_CHARACTERS, pattern: ADDRESS.source });

/** A new password: 8 to 256 code points after NFKC, never trimmed. */
export const newPassword = z
  .string()
  .superRefine((password, context) => {
    const length = password.length > 4 * MAX_PASSWORD_CHARACTERS ? Infinity : [...password.normalize("NFKC")].length;
    if (length < MIN_PASSWORD_CHARACTERS) {
      context.addIssue({ code: "custom", message: `Must have at least ${MIN_PASSWORD_CHARACTERS} characters` });
    } else if (length > MAX_PASSWORD_CHARACTERS) {
      context.addIssue({ code: "custom", message: `Must have at most ${MAX_PASSWORD_CHARACTERS} characters` });
    }
  })
  .meta({
    description:
      "8 to 256 characters after NFKC. The most common passwords and the user's own email address are refused.",
    minLength: MIN_PASSWORD_CHARACTERS,
    maxLength: MAX_PASSWORD_CHARACTERS,
    format: "password",
    examples: ["correct horse battery"],
  });

/** A password to check: only bounded in length, so that an old one always works. */
export const givenPassword = z
  .string()
  .min(1)
  .max(4 * MAX_PASSWORD_CHARACTERS)
  .meta({ format: "password", examples: ["correct horse battery"] });

/** A name that a person types: trimmed, 1 to 200 characters, one line. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !CONTROL_CHARACTERS.test(text), "Must not contain control characters")
  .refine((text) => text.isWellFormed(), "Must be Unicode")
  .meta({ description: "One line, trimmed.", pattern: ONE_LINE, examples: ["Orders"] });

/** A token that we have mailed or shown once. Its form is not checked here; only its use shows whether it is valid. */
export const opaqueToken = z.string().min(1).max(1000);

/** One of a person's tenants, as the person chooses it. */
export const chosenTenantId = opaqueToken.overwrite(lowerUuid);

/** A token of the Turnstile widget, for requests that programs abuse. */
export const captchaToken = z
  .string()
  .max(2048)
  .optional()
  .transform((text) => text || undefined)
  .meta({
    description: "From the Turnstile widget, where the service asks for one (`CAPTCHA_REQUIRED`).",
    examples: ["XXXX.DUMMY.TOKEN.XXXX"],
  });

/** Ids are UUIDv7, so they sort by creation time. */
export const id = z
  .uuid()
  .toLowerCase()
  .meta({ examples: ["0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"] });

/** A tenant in an answer that may also be the tenant of the platform. */
export const tenantId = z.string().meta({
  description: "A UUID; `platform` for the tenant that stands for the platform as a whole.",
  examples: ["0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"],
});

/** A person in an answer. */
export const personEmail = z.string().meta({ examples: ["ada@example.com"] });
/** A language of mails and pages. */
export const locale = z.enum(LOCALES).meta({ id: "Locale", description: "A language.", examples: ["de"] });

export const personName = z
  .string()
  .nullable()
  .meta({ examples: ["Ada Lovelace"] });

/** A time in an answer: ISO 8601 in UTC with milliseconds. */
export const time = z.iso.datetime({ precision: 3 }).meta({ examples: ["2026-11-21T16:04:18.000Z"] });

/** A time that a client gives: ISO 8601 with any offset. Parsed to Unix ms. */
export const moment = z.iso
  .datetime({ offset: true })
  .meta({ examples: ["2026-11-21T16:04:18Z"] })
  .transform((text) => Date.parse(text));

/** When a new key ends. Parsed to Unix ms. */
export const keyExpiry = z.iso
  .datetime({ offset: true })
  .meta({ examples: ["2099-01-01T00:00:00Z"] })
  .transform((text) => Date.parse(text))
  .refine((timeMs) => timeMs > Date.now(), "Must be in the future")
  .nullish()
  .transform((timeMs) => timeMs ?? undefined)
  .meta({ description: "In the future. Missing: the key never expires." });

export const MAX_URL_CHARACTERS = 2048;

/** How deeply the JSON values of requests may be nested. */
export const MAX_DEPTH = 500;

/**
 * Whether a value is nested no deeper. Goes through the levels in a loop, because a recursion would overflow the stack.
 */
export function isWithinDepth(payload: unknown, maxDepth = MAX_DEPTH): boolean {
  let level: unknown[] = [payload];
  for (let left = maxDepth; left > 0; left -= 1) {
    level = level.flatMap((value) => (hasMembers(value) ? Object.values(value) : []));
    if (level.length === 0) return true;
  }
  return false;
}

const hasMembers = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !isExactNumber(value);

/** Where a page begins, as the previous answer gave it. */
export const cursor = z.uuid().toLowerCase().meta({ description: "The `nextCursor` of the previous answer; opaque." });

/** How many `rows`, such as "Events", a page has. */
export const pageLimit = (rows: string, maxRows: number, usualRows = 50) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(maxRows)
    .default(usualRows)
    .meta({ description: `${rows} on a page, 1 to ${maxRows}.`, examples: [usualRows] });

/** The query of a list in pages, of `rows` such as "Events". */
export const pageQuery = (rows: string, maxRows: number) =>
  z.object({ limit: pageLimit(rows, maxRows), cursor: cursor.optional() });

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: "Where the next page begins; null if there is none.", examples: [null] });

/** The providers that people can sign in with; "oidc" is the one that the operator chooses. */
export const PROVIDER_NAMES = ["google", "github", "microsoft", "oidc"] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

export const providerName = z.enum(PROVIDER_NAMES).meta({
  id: "ProviderName",
  description: "A sign-in provider; `oidc` is the one that the service's operator has chosen.",
  examples: ["google"],
});

export const role = z
  .string()
  .refine(isRole, "Must be a role: see /docs/roles")
  .meta({
    id: "Role",
    description:
      "What a member may do: `owner`, `admin`, `operator`, `developer`, `viewer`, `member` or one that the " +
      "setting ROLES adds; see /docs/roles.",
    examples: ["developer"],
  });

export const permission = z.enum(PERMISSIONS).meta({
  id: "Permission",
  description: "One right, held by a role and granted to an API key as a scope.",
  examples: ["event.publish"],
});

/**
 * The schema of an object, made when it is first asked for; `id` is its name in the OpenAPI document. Making them all
 * takes a good part of a Worker's start, and an isolate uses few: those of answers are only for that document.
 * `unwrap()` makes the object anew each time.
 */
export const described = <Shape extends z.ZodRawShape>(
  id: string,
  description: string,
  shape: () => Shape,
): z.ZodLazy<z.ZodObject<Shape>> => z.lazy(() => z.object(shape()).meta({ id, description }));

/** A resource in its envelope. */
export const dataOf = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** The answer of an action: one of these messages. */
export const says = <T extends string>(...messages: [T, ...T[]]) => z.object({ message: z.enum(messages) });

const errorCode = z.enum(ERROR_CODES).meta({
  id: "ErrorCode",
  description: "What went wrong: stable, so switch on it. The page `/docs/errors` explains each code.",
});

const errorDetail = z
  .strictObject({
    path: z.string().meta({ description: "Where the field is in the body, such as `events.0`." }),
    message: z.string().meta({ description: "Why it was refused, for people." }),
  })
  .meta({ id: "ErrorDetail", description: "What is wrong with one field of a request." });

/** The answer for every failure. */
export const failure = z
  .object({
    code: errorCode,
    message: z.string().meta({ description: "For people; may change." }),
    requestId: z
      .string()
      .meta({ description: "The answer's `X-Request-Id`, by which the service's log can be searched." }),
    details: z
      .array(errorDetail)
      .optional()
      .meta({
        description: "Only for `VALIDATION_FAILED`: which fields are wrong, and why.",
        examples: [[{ path: "events.0", message: "Invalid input" }]],
      }),
  })
  .meta({ id: "Failure" });
