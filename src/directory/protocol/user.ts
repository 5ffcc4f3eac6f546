/** A person as a directory describes them: what is kept, as it was sent. */
import { utf8 } from "../../base/crypto/encoding";
import { type Complex, isList, type ScimSchema } from "./attribute";
import { invalidValue } from "./error";
import { findAttribute } from "./find-attribute";
import { ENTERPRISE, USER } from "./kinds";
import { isObject, MAX_RECORD_BYTES, type Members, readValue, tooLarge } from "./values";

/** At most 8 KiB as JSON in UTF-8. */
export interface DirectoryUser {
  userName: string;
  externalId?: string;
  active: boolean;
  name?: {
    formatted?: string;
    familyName?: string;
    givenName?: string;
    middleName?: string;
    honorificPrefix?: string;
    honorificSuffix?: string;
  };
  displayName?: string;
  emails?: DirectoryEmail[];
  title?: string;
  preferredLanguage?: string;
  locale?: string;
  timezone?: string;
  userType?: string;
  [ENTERPRISE]?: {
    employeeNumber?: string;
    costCenter?: string;
    organization?: string;
    division?: string;
    department?: string;
    manager?: { value: string; displayName?: string };
  };
}

export interface DirectoryEmail {
  value: string;
  type?: string;
  primary?: boolean;
  display?: string;
}

/** A record while it changes: undefined and empty members are no values. */
export type UserDraft = Record<string, unknown>;

/** Reads the body that makes a person, who is active unless it says otherwise. */
export const readUser = (body: unknown): DirectoryUser => finished({ active: true, ...readDraft(body) });

/**
 * Reads the body that replaces a person. Without `active` and `externalId` these stay: to suspend somebody because a
 * client leaves a word out would be a mistake. What only we write is ignored (RFC 7644 section 3.5.1).
 */
export function replaceUser({ record }: { record: DirectoryUser }, body: unknown): DirectoryUser {
  const { active, externalId } = record;
  return finished({ active, ...(externalId === undefined ? {} : { externalId }), ...readDraft(body) });
}

function readDraft(body: unknown): UserDraft {
  if (!isObject(body)) throw invalidValue("The body must be an object.");
  const draft: UserDraft = {};
  for (const [name, value] of Object.entries(body)) {
    const found = findAttribute(USER, name);
    if (!found || found.member || found.attribute?.mutability === "readOnly") continue;
    if (found.attribute) readInto(draft, found.attribute.name, readValue(found.attribute, value));
    else if (found.schema === USER.extension && isObject(value)) draft[ENTERPRISE] = readExtension(found.schema, value);
  }
  return draft;
}

/** `active` is always true or false, so that no value leaves it as it is. */
function readInto(draft: UserDraft, name: string, value: unknown): void {
  if (name !== "active" || value !== undefined) draft[name] = value;
}

function readExtension(schema: ScimSchema, sent: Record<string, unknown>): Members {
  const members: Members = {};
  for (const [name, value] of Object.entries(sent)) {
    const { attribute } = findAttribute(USER, `${schema.id}:${name}`) ?? {};
    if (attribute) members[attribute.name] = readValue(attribute, value);
  }
  return members;
}

/** Takes out what has no value, and refuses what a record cannot be. */
export function finished(draft: UserDraft): DirectoryUser {
  const record = withoutEmpty(USER.core, draft);
  const extension = draft[ENTERPRISE];
  if (USER.extension && isObject(extension)) {
    const members = withoutEmpty(USER.extension, extension);
    if (Object.keys(members).length > 0) record[ENTERPRISE] = members;
  }
  if (typeof record["userName"] !== "string") throw invalidValue("userName is required.");
  const emails = (record["emails"] ?? []) as DirectoryEmail[];
  if (emails.filter(({ primary }) => primary).length > 1) throw invalidValue("One address can be the primary one.");
  if (utf8(JSON.stringify(record)).length > MAX_RECORD_BYTES) throw tooLarge();
  return record as unknown as DirectoryUser;
}

/** The members in the order of the schema, so that the same content is the same text. */
function withoutEmpty(schema: ScimSchema, draft: UserDraft): UserDraft {
  const kept: UserDraft = {};
  const names = schema === USER.core ? ["externalId"] : [];
  for (const name of names) if (draft[name] !== undefined) kept[name] = draft[name];
  for (const attribute of schema.attributes) {
    const value = draft[attribute.name];
    const full = attribute.type === "complex" ? complexOf(attribute, value) : value;
    if (full !== undefined) kept[attribute.name] = full;
  }
  return kept;
}

function complexOf(attribute: Complex, value: unknown): unknown {
  if (!isList(attribute)) return membersOf(attribute, value);
  const list = Array.isArray(value) ? value.flatMap((one) => membersOf(attribute, one) ?? []) : [];
  return list.length > 0 ? list : undefined;
}

function membersOf(attribute: Complex, value: unknown): Members | undefined {
  if (!isObject(value)) return undefined;
  const members: Members = {};
  for (const { name } of attribute.members) if (value[name] !== undefined) members[name] = value[name];
  const isSaid = attribute.key === undefined ? Object.keys(members).length > 0 : members[attribute.key] !== undefined;
  return isSaid ? members : undefined;
}

/** The address that names the account: the primary one, else that for work, else the first, else the user name. */
export function addressOf({ emails = [], userName }: DirectoryUser): string | null {
  const email = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type?.toLowerCase() === "work");
  const address = email ?? emails[0];
  if (address) return address.value.toLowerCase();
  return userName.includes("@") ? userName.toLowerCase() : null;
}
