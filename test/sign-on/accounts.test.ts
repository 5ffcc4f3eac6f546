/** Every kind of account that can have the address of somebody who signs on, by provisioning. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { type Person, signUp, signUpVerified } from "../support/client";
import { joinTenant } from "../support/people";
import { bring, type Directory, deactivate, newToken, scim } from "../support/scim";
import { type Connection, moveInto, newTenant, outcomeOf, signOnAs, signOnWith, wordOf } from "../support/signed-on";

interface Arrival {
  word: Partial<SignedOn>;
  variables?: Record<string, unknown>;
}

const directoryOf = async (connection: Connection, owner: Person): Promise<Directory> => ({
  owner,
  connection,
  token: await newToken(owner, connection.id),
});

const as = (person: Person): Arrival => ({ word: { email: person.email } });

/** The account that has the address, and what comes of its sign-on. */
const ACCOUNTS: Record<string, { prepare(connection: Connection, owner: Person): Promise<Arrival>; outcome: string }> =
  {
    "no account": { prepare: async () => ({ word: {} }), outcome: "in" },
    "an unverified one": {
      prepare: async (connection) => as(await moveInto(connection, await signUp())),
      outcome: "in",
    },
    "a verified one of another tenant": {
      prepare: async (connection) => as(await moveInto(connection, await signUpVerified())),
      outcome: "in",
    },
    "the account of an owner": {
      prepare: async (connection, owner) => as(await moveInto(connection, owner)),
      outcome: "CONFLICT",
    },
    "the account of an operator": {
      async prepare(connection) {
        const { email } = await moveInto(connection, await signUpVerified());
        return { word: { email }, variables: { OPERATORS: email } };
      },
      outcome: "operator",
    },
    "the account of a member": {
      prepare: async (connection, owner) => as(await moveInto(connection, await joinTenant(owner, "viewer"))),
      outcome: "in",
    },
    "the account of an admin": {
      prepare: async (connection, owner) => as(await moveInto(connection, await joinTenant(owner, "admin"))),
      outcome: "in",
    },
    "one that the directory has brought": {
      async prepare(connection, owner) {
        const { userName: email } = await bring(await directoryOf(connection, owner));
        return { word: { email } };
      },
      outcome: "in",
    },
    "one that the directory has made inactive": {
      async prepare(connection, owner) {
        const directory = await directoryOf(connection, owner);
        const { id, userName: email } = await bring(directory);
        await deactivate(directory, id);
        return { word: { email } };
      },
      outcome: "deactivated",
    },
    "one that the directory brings as inactive": {
      async prepare(connection, owner) {
        const { email } = await moveInto(connection, await signUpVerified());
        const named = { userName: email, emails: [{ value: email, primary: true }] };
        await bring(await directoryOf(connection, owner), { ...named, active: false });
        return { word: { email } };
      },
      outcome: "deactivated",
    },
    "one that the directory has removed": {
      async prepare(connection, owner) {
        const directory = await directoryOf(connection, owner);
        const { id, userName: email } = await bring(directory);
        await scim(directory, "DELETE", `/Users/${id}`);
        return { word: { email } };
      },
      outcome: "deactivated",
    },
    "a suspended one": {
      async prepare(connection) {
        const person = await moveInto(connection, await signUpVerified());
        await env.DB.prepare("UPDATE users SET suspended_at = 1 WHERE id = ?").bind(person.userId).run();
        return as(person);
      },
      outcome: "suspended",
    },
    "one that has another subject": {
      async prepare(connection) {
        const { email } = await signOnAs(wordOf(connection));
        return { word: { email } };
      },
      outcome: "subject_changed",
    },
  };

/** What is refused before it matters whether the directory has brought somebody. */
const FIRST = ["operator", "suspended", "deactivated"];
/** Whom it has brought. */
const BROUGHT = "one that the directory has brought";

describe.each(Object.entries(ACCOUNTS))("somebody whose address has %s", (name, { prepare, outcome }) => {
  test.each(["jit", "both", "directory"] as const)("by provisioning %s", async (provisioning) => {
    const { owner, connection } = await newTenant();
    const { word, variables } = await prepare(connection, owner);
    await env.DB.prepare("UPDATE connections SET settings = json_set(settings, '$.provisioning', ?) WHERE id = ?")
      .bind(provisioning, connection.id)
      .run();
    const answer = await signOnWith(wordOf(connection, word), {}, variables);
    const isMissing = provisioning === "directory" && name !== BROUGHT && !FIRST.includes(outcome);
    expect(await outcomeOf(answer)).toBe(isMissing ? "not_provisioned" : outcome);
  });
});
