/** What an import does with a row, given the people and tenants that it meets. */

import { newId } from "../../base/db/ids";
import type { Role } from "../../base/schemas/roles";
import { MAX_PASSKEYS } from "../passkeys/store";
import { isImported, isSameHash } from "../passwords/imported/read";
import { MAX_IDENTITIES } from "../providers/store";
import { type ImportedPasskey, identityKey, type NewIdentity, type Person, type Row } from "./person";
import { nameOf, type World } from "./world";

/** What a row writes. */
export interface PersonChange {
  /** Whether it makes the account. */
  isNew: boolean;
  /** Afterwards. */
  person: Person;
  /** What somebody set up who had registered an address without proving it ends first. */
  takesOver: boolean;
  /** Whether the person gets another address. */
  isMoved: boolean;
  isNewlyVerified: boolean;
  /** Null: it stays. */
  passwordHash: string | null;
  totpSecret: string | null;
  identities: NewIdentity[];
  passkeys: ImportedPasskey[];
  memberships: { tenantId: string; role: Role }[];
  /** The fields that are different. */
  changed: string[];
}

export type Decision =
  | { outcome: "created" | "updated"; change: PersonChange }
  | { outcome: "skipped"; person: Person; reason: string }
  | { outcome: "refused"; reason: string };

/** Thrown inside of this file. */
class Refused extends Error {}

interface Rules {
  onExisting: "skip" | "update";
  /** Addresses whose accounts no import touches. */
  operators: readonly string[];
  /** Whether somebody without a password gets that of the row even after they have signed in. */
  givesPassword?: boolean;
  /** The imports whose hashes need the same settings as those of the row. */
  alike?: ReadonlySet<string>;
}

/** Decides about a row. Does not change the world; `apply` does. */
export function decide(row: Row, world: World, rules: Rules): Decision {
  const { onExisting, operators } = rules;
  try {
    const found = findPerson(row, world);
    if (found && operators.includes(found.email))
      throw new Refused("The account belongs to an operator of this service");
    if (found && onExisting === "skip") return { outcome: "skipped", person: found, reason: "already exists" };
    const change = found ? changeForKnown(row, found, world, rules) : changeForNew(row, world);
    if (change.changed.length === 0 && !change.takesOver) {
      return { outcome: "skipped", person: change.person, reason: "unchanged" };
    }
    return { outcome: change.isNew ? "created" : "updated", change };
  } catch (error) {
    if (error instanceof Refused) return { outcome: "refused", reason: error.message };
    throw error;
  }
}

/** Lets the rows that follow meet what a row has written. */
export function apply({ person, memberships }: PersonChange, world: World): void {
  world.put(person);
  for (const tenant of new Set(world.tenants.values())) {
    if (memberships.some(({ tenantId }) => tenantId === tenant.id)) tenant.room -= 1;
  }
}

function findPerson({ email, externalId }: Row, world: World): Person | undefined {
  const named = externalId === null ? undefined : world.find(nameOf.externalId(externalId));
  const addressed = world.find(nameOf.email(email));
  if (named && addressed && named.id !== addressed.id) {
    throw new Refused("The externalId and the address belong to two accounts");
  }
  if (!named && addressed && externalId !== null && addressed.externalId !== null) {
    throw new Refused("The account with this address has another externalId");
  }
  return named ?? addressed;
}

/** What makes an account of a row. */
function changeForNew(row: Row, world: World): PersonChange {
  const id = newId();
  requireFree(row.email, id, world);
  const nobody: Person = {
    id,
    email: row.email,
    externalId: null,
    name: null,
    isVerified: false,
    password: "",
    isUsed: false,
    hasTotp: false,
    identities: [],
    passkeys: [],
    memberships: {},
    ownTenants: [],
  };
  return { ...complete(row, nobody, world, { takesOver: false }), isNew: true, changed: ["email"] };
}

/** What adds a row to somebody's account. They keep what they have, unless the row takes the account over. */
function changeForKnown(row: Row, person: Person, world: World, { givesPassword, alike }: Rules): PersonChange {
  const isMoved = person.email !== row.email;
  if (isMoved && person.isUsed) throw new Refused("The account has another address");
  if (isMoved) requireFree(row.email, person.id, world);
  const takesOver = !person.isVerified && row.isVerified;
  return complete(row, takesOver ? withoutAccess(person) : person, world, { takesOver, givesPassword, alike });
}

/** What is left of an account when whoever registered it loses it. */
const withoutAccess = (person: Person): Person => ({
  ...person,
  name: null,
  password: "",
  hasTotp: false,
  identities: [],
  passkeys: [],
  memberships: Object.fromEntries(
    Object.entries(person.memberships).filter(([tenantId]) => !person.ownTenants.includes(tenantId)),
  ),
  ownTenants: [],
});

/** How a row completes somebody. */
interface Completion {
  takesOver: boolean;
  givesPassword?: boolean | undefined;
  alike?: ReadonlySet<string> | undefined;
}

/** Adds to `before` what it lacks. */
function complete(row: Row, before: Person, world: World, completion: Completion): PersonChange {
  const isMoved = before.email !== row.email;
  const added = {
    identities: newOnes(row.identities, identityKey, before.identities),
    passkeys: newOnes(row.passkeys, ({ id }) => id, before.passkeys),
    memberships: newMemberships(row, before, world),
  };
  requireOwn(row, before, world);
  const isNewlyVerified = row.isVerified && (isMoved || !before.isVerified);
  const { takesOver } = completion;
  const password = replacesPassword(row, before, completion) ? row.passwordHash : before.password;
  const person: Person = {
    ...before,
    email: row.email,
    externalId: before.externalId ?? row.externalId,
    name: row.name ?? before.name,
    isVerified: isMoved ? row.isVerified : before.isVerified || row.isVerified,
    password,
    hasTotp: before.hasTotp || row.totpSecret !== null,
    identities: [...before.identities, ...added.identities.map(identityKey)],
    passkeys: [...before.passkeys, ...added.passkeys.map(({ id }) => id)],
    memberships: {
      ...before.memberships,
      ...Object.fromEntries(added.memberships.map(({ tenantId, role }) => [tenantId, role])),
    },
  };
  if (person.identities.length > MAX_IDENTITIES) throw new Refused(`identities: At most ${MAX_IDENTITIES} a person`);
  if (person.passkeys.length > MAX_PASSKEYS) throw new Refused(`passkeys: At most ${MAX_PASSKEYS} a person`);
  const passwordHash = password === before.password ? null : password;
  const totpSecret = before.hasTotp ? null : row.totpSecret;
  return {
    ...added,
    isNew: false,
    person,
    takesOver,
    isMoved,
    isNewlyVerified,
    passwordHash,
    totpSecret,
    changed: [
      ...(isMoved ? ["email"] : []),
      ...(person.externalId === before.externalId ? [] : ["externalId"]),
      ...(person.name === before.name ? [] : ["name"]),
      ...(isNewlyVerified ? ["emailVerified"] : []),
      ...(passwordHash === null ? [] : ["password"]),
      ...(totpSecret === null ? [] : ["totp"]),
      ...Object.entries(added).flatMap(([field, { length }]) => (length > 0 ? [field] : [])),
    ],
  };
}

/**
 * A password that was set here stays, and so does one that was used: it is ours by then. No password stays no password
 * for somebody who has signed in: it may have been taken away. With `givesPassword` the caller knows that it was not. A
 * hash that comes again stays that of the import that brought it.
 */
const replacesPassword = (
  { passwordHash }: Row,
  before: Person,
  { takesOver, givesPassword, alike }: Completion,
): boolean =>
  passwordHash !== "" &&
  !isSameHash(before.password, passwordHash, alike) &&
  (isImported(before.password) || (before.password === "" && (takesOver || givesPassword === true || !before.isUsed)));

/** Those that the person does not have, each once. */
function newOnes<T>(given: readonly T[], keyOf: (one: T) => string, has: readonly string[]): T[] {
  const byKey = new Map(given.map((one) => [keyOf(one), one]));
  return [...byKey].flatMap(([key, one]) => (has.includes(key) ? [] : [one]));
}

function newMemberships(row: Row, before: Person, world: World): PersonChange["memberships"] {
  const roles = new Map<string, Role>();
  for (const [index, { tenant: ref, role }] of row.memberships.entries()) {
    const tenant = world.tenants.get(ref);
    if (!tenant) throw new Refused(`memberships.${index}.tenant: There is no such tenant`);
    if ((roles.get(tenant.id) ?? role) !== role) throw new Refused(`memberships.${index}.role: One role a tenant`);
    if (Object.hasOwn(before.memberships, tenant.id) || roles.has(tenant.id)) continue;
    if (tenant.room < 1) throw new Refused(`memberships.${index}.tenant: The tenant is full`);
    roles.set(tenant.id, role);
  }
  return [...roles].map(([tenantId, role]) => ({ tenantId, role }));
}

/** Refuses the sign-ins of somebody else. */
function requireOwn(row: Row, { id }: Person, world: World): void {
  const isOthers = (name: string) => (world.find(name)?.id ?? id) !== id;
  for (const [index, identity] of row.identities.entries()) {
    if (isOthers(nameOf.identity(identityKey(identity)))) {
      throw new Refused(`identities.${index}: Belongs to another account`);
    }
  }
  for (const [index, passkey] of row.passkeys.entries()) {
    if (isOthers(nameOf.passkey(passkey.id))) throw new Refused(`passkeys.${index}: Belongs to another account`);
  }
}

function requireFree(email: string, userId: string, { reserved }: World): void {
  if (reserved.some((one) => one.email === email && one.userId !== userId)) {
    throw new Refused("The address is kept for somebody who changed theirs less than 72 hours ago");
  }
}
