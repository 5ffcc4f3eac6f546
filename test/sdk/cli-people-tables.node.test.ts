/** People as tables of databases, and the tools that write them: each such row of "Move from another service". */
import { describe, expect, test } from "vitest";
import { betterAuth } from "../../src/sdk/cli/people/better-auth.ts";
import { keycloak } from "../../src/sdk/cli/people/keycloak.ts";
import { supabase } from "../../src/sdk/cli/people/supabase.ts";
import { converted } from "../support/converted.ts";

const BCRYPT = "$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2";
const BETTER_AUTH = `${"a".repeat(32)}:${"b".repeat(128)}`;

describe("better-auth", () => {
  test.each([
    [
      "snake_case",
      "user",
      "account",
      (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ],
    ["camelCase in the plural", "users", "accounts", (name: string) => name],
  ])("%s", (_name, users, accounts, spelled) => {
    const named = (row: object) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [spelled(name), value]));
    const user = { id: 2, email: "bo@e.example", emailVerified: 1, createdAt: 1704449471, banned: 0, banExpires: null };
    const rows = [
      { accountId: "2", providerId: "credential", userId: 2, password: BETTER_AUTH },
      { accountId: 583231, providerId: "github", userId: 2 },
      { accountId: "1", providerId: "discord", userId: 2 },
    ];
    const tables = { [users]: [named(user)], [accounts]: { results: rows.map(named) }, passkey: [{ id: 1 }] };
    expect(converted(betterAuth, tables)).toEqual({
      people: [
        {
          email: "bo@e.example",
          emailVerified: true,
          externalId: "2",
          createdAt: "2024-01-05T10:11:11.000Z",
          password: { hash: BETTER_AUTH },
          identities: [{ provider: "github", subject: "583231" }],
        },
      ],
      left: ["passkeys", "sign-ins with discord"],
    });
  });

  test.each([
    ["a ban that has lapsed", { banned: 1, banExpires: "2025-01-01T00:00:00.000Z" }, undefined],
    ["a ban that lapsed by a number of seconds", { banned: true, ban_expires: 1735689600 }, undefined],
    ["a ban to come to an end", { banned: true, ban_expires: "2999-01-01 00:00:00" }, true],
    ["a ban without an end", { banned: "t", ban_expires: null }, true],
    ["a ban with an end that cannot be read", { banned: 1, banExpires: "some day" }, true],
    ["no ban", { banned: "f", banExpires: "2999-01-01" }, undefined],
  ])("%s", (_name, ban, suspended) => {
    expect(
      converted(betterAuth, { user: [{ email: "a@b.c", email_verified: 1, ...ban }], account: [] }).people[0]
        ?.suspended,
    ).toBe(suspended);
  });

  test("fails without its tables or their columns, and says when accounts are missing", () => {
    expect(() => converted(betterAuth, { members: [], logins: [] })).toThrow(/no table user.*members, logins/s);
    expect(() => converted(betterAuth, { user: [{ id: 1, mail: "a@b.c" }] })).toThrow(/no email.*id, mail/s);
    const user = [{ id: 1, email: "a@b.c", email_verified: true }];
    expect(() => converted(betterAuth, { user, account: [{ owner: 1 }] })).toThrow(/account\.user_id.*owner/s);
    expect(converted(betterAuth, { user }).left).toEqual([
      "passwords and sign-ins, because the file has no table account",
    ]);
  });
});

describe("Supabase", () => {
  const NAMES = "id,email,encrypted_password,email_confirmed_at,banned_until,deleted_at,raw_user_meta_data";
  const row = (cells: string) => converted(supabase, `${NAMES}\n1,a@b.c,${cells}\n`);

  test.each(["NULL", "null", "\\N", "[NULL]", "<null>", "None", "NaT", ""])(
    "%j in a CSV is null: no proof, no password, not deleted",
    (none) => {
      expect(row([none, none, none, none, none].join())).toEqual({
        people: [{ email: "a@b.c", emailVerified: false, externalId: "1" }],
        left: [],
      });
    },
  );

  test.each([
    ["2023-04-05 06:07:08.123456+00", true],
    ["2023-04-05T06:07:08Z", true],
    ["2023-04-05 06:07:08 UTC", true],
    ["soon", false],
    ["0001-01-01T00:00:00Z", false],
  ])("an address that was confirmed at %j is proven: %j", (time, isProven) => {
    expect(row(`,${time},,,`).people[0]?.emailVerified).toBe(isProven);
  });

  test.each([
    ["infinity", true],
    ["294276-12-31 23:59:59.999999+00", true],
    ["2999-01-01 00:00:00+00", true],
    ["2020-01-01 00:00:00+00", undefined],
    ["-infinity", undefined],
  ])("somebody banned until %j is suspended: %j", (until, suspended) => {
    expect(row(`,,${until},,`).people[0]?.suspended).toBe(suspended);
  });

  test("metadata and hashes that cannot be read cost themselves", () => {
    expect(row(`${BCRYPT},2023-04-05,,,{broken`)).toMatchObject({
      people: [{ password: { hash: BCRYPT }, emailVerified: true }],
      left: ["metadata that cannot be read, and the names in it"],
    });
    expect(row("$fbscrypt$v=1$x,,,,").left).toEqual(["passwords of a kind that is not taken"]);
    expect(row(",,,2023-04-05,").left).toEqual(["deleted people"]);
  });

  test("what its API lists", () => {
    const identities = [
      { provider: "email", identity_data: { sub: "1" } },
      { provider: "google", identity_data: { sub: "1035", email: "a@gmail.com" } },
    ];
    const user = { id: "1", email: "a@b.c", email_confirmed_at: "2023-04-05T06:07:08Z", identities, factors: [{}] };
    expect(converted(supabase, { users: [user], aud: "authenticated" })).toMatchObject({
      people: [{ emailVerified: true, identities: [{ provider: "google", subject: "1035", email: "a@gmail.com" }] }],
      left: ["second factors"],
    });
    const listed = { ...user, identities: null, factors: null, raw_app_meta_data: { providers: ["email", "apple"] } };
    expect(converted(supabase, [listed]).left).toEqual(["sign-ins with apple"]);
  });
});

describe("Keycloak", () => {
  const SALT = "LRScGShC7shkdoU5B1UgUQ";
  const password = (algorithm: string, hashIterations: number, more: object = {}) => ({
    type: "password",
    secretData: JSON.stringify({ value: `${"A".repeat(43)}=`, salt: `${SALT}==`, additionalParameters: {} }),
    credentialData: JSON.stringify({ hashIterations, algorithm, additionalParameters: more }),
  });
  const app = (secret: object, more: object = {}) => ({
    type: "otp",
    secretData: JSON.stringify(secret),
    credentialData: JSON.stringify({
      subType: "totp",
      digits: 6,
      counter: 0,
      period: 30,
      algorithm: "HmacSHA1",
      ...more,
    }),
  });
  const ARGON2 = { hashLength: ["32"], memory: ["7168"], type: ["id"], version: ["1.3"], parallelism: ["1"] };
  const hash = (before: string) => ({ password: { hash: `${before}$${SALT}$${"A".repeat(43)}` } });
  // 20 characters, in base32.
  const totp = { secret: "KF2W62DQG52DE3LSJRGVK53GOQZWOOJQ" };

  test.each<[string, object[], object, string[]]>([
    ["argon2", [password("argon2", 5, ARGON2)], hash("$argon2id$v=19$m=7168,t=5,p=1"), []],
    ["PBKDF2", [password("pbkdf2-sha512", 210_000)], hash("$pbkdf2-sha512$i=210000"), []],
    ["PBKDF2 of old", [password("pbkdf2", 20_000)], hash("$pbkdf2$i=20000"), []],
    ["another hash", [password("scrypt", 1)], {}, ["passwords of a kind that is not taken"]],
    ["an app", [app({ value: "Quohp7t2mrLMUwft3g90" })], { totp }, []],
    ["an app in base32", [app({ value: totp.secret }, { secretEncoding: "BASE32" })], { totp }, []],
    ["an app of eight digits", [app({ value: "x" }, { digits: 8 })], {}, ["second factors and passkeys"]],
    ["a passkey", [{ type: "webauthn" }], {}, ["second factors and passkeys"]],
    ["broken details", [{ type: "password", secretData: "{" }], {}, ["passwords of a kind that is not taken"]],
  ])("a realm with somebody who has %s", (_what, credentials, expected, left) => {
    const user = { id: "f1", createdTimestamp: 1700000000000, username: "ada", enabled: true, emailVerified: true };
    const ada = { ...user, firstName: "Ada", lastName: "L", email: "ada@e.example", credentials };
    const users = [{ username: "service-account-x", serviceAccountClientId: "x" }, ada];
    expect(converted(keycloak, JSON.stringify({ realm: "r", users }, null, 2))).toEqual({
      people: [
        {
          email: "ada@e.example",
          emailVerified: true,
          externalId: "f1",
          name: "Ada L",
          createdAt: "2023-11-14T22:13:20.000Z",
          ...expected,
        },
      ],
      left,
    });
  });

  test("what its API lists, with sign-ins of providers", () => {
    const federatedIdentities = [
      { identityProvider: "google", userId: "1035", userName: "ada" },
      { identityProvider: "saml", userId: "x" },
    ];
    const { people, left } = converted(keycloak, [{ id: "f1", email: "a@b.c", enabled: false, federatedIdentities }]);
    expect(people).toEqual([
      {
        email: "a@b.c",
        emailVerified: false,
        externalId: "f1",
        suspended: true,
        identities: [{ provider: "google", subject: "1035" }],
      },
    ]);
    expect(left).toEqual([
      "passwords that were not given",
      "sign-ins with saml",
      "proofs of addresses, because the file has no emailVerified",
    ]);
  });
});
