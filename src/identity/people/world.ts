/** The people and tenants that rows of an import meet, with what the rows before them have changed. */
import { identityKey, type Person, type Row } from "./person";

/** A tenant that rows name. */
export interface ImportTenant {
  id: string;
  /** How many members it can still get. */
  room: number;
}

export class World {
  readonly people = new Map<string, Person>();
  /** By the names of `namesOf`. */
  readonly #ids = new Map<string, string>();

  constructor(
    people: readonly Person[],
    /** By how rows name them. */
    readonly tenants: ReadonlyMap<string, ImportTenant>,
    /** Addresses that somebody can get back, with the users who can. */
    readonly reserved: readonly { email: string; userId: string }[],
  ) {
    for (const person of people) this.put(person);
  }

  put(person: Person): void {
    this.people.set(person.id, person);
    for (const name of namesOf(person)) this.#ids.set(name, person.id);
  }

  /** The person with a name of `nameOf`. */
  find(name: string): Person | undefined {
    return this.people.get(this.#ids.get(name) ?? "");
  }
}

/** By what a person is found. */
export const nameOf = {
  email: (email: string) => `email:${email}`,
  externalId: (externalId: string) => `ext:${externalId}`,
  identity: (key: string) => `identity:${key}`,
  passkey: (id: string) => `passkey:${id}`,
};

export const namesOf = ({ email, externalId, identities, passkeys }: Person): string[] => [
  nameOf.email(email),
  ...(externalId === null ? [] : [nameOf.externalId(externalId)]),
  ...identities.map(nameOf.identity),
  ...passkeys.map(nameOf.passkey),
];

/** The names by which a row can find people. */
export const namesInRow = ({ email, externalId, identities, passkeys }: Row): string[] => [
  nameOf.email(email),
  ...(externalId === null ? [] : [nameOf.externalId(externalId)]),
  ...identities.map((identity) => nameOf.identity(identityKey(identity))),
  ...passkeys.map(({ id }) => nameOf.passkey(id)),
];
