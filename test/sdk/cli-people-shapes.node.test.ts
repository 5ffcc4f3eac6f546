/** People as services and the tools around them write them: each row of "Move from another service". */
import { describe, expect, test } from "vitest";
import { auth0 } from "../../src/sdk/cli/people/auth0.ts";
import { clerk } from "../../src/sdk/cli/people/clerk.ts";
import { cognito } from "../../src/sdk/cli/people/cognito.ts";
import type { Converter } from "../../src/sdk/cli/people/converter.ts";
import { firebase } from "../../src/sdk/cli/people/firebase.ts";
import { converted } from "../support/converted.ts";

const BCRYPT = "$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2";
const FIREBASE = { hash: btoa("x".repeat(64)), salt: "42xEC+ixf3L2lw==" };

const only = (converter: Converter, text: string | object) => converted(converter, text).people[0];

describe("Auth0", () => {
  const titled = {
    Id: "auth0|1",
    "Given Name": "Ada",
    "Family Name": "Lovelace",
    Email: "ada@example.com",
    "Email Verified": true,
    Connection: "Username-Password-Authentication",
    "Created At": "2024-01-02T03:04:05.678Z",
  };
  const person = {
    email: "ada@example.com",
    emailVerified: true,
    externalId: "auth0|1",
    name: "Ada Lovelace",
    createdAt: "2024-01-02T03:04:05.678Z",
  };

  test("the titles of its extension, one in a line, in a list, and in a list inside of an object", () => {
    for (const text of [JSON.stringify(titled), [titled], { start: 0, total: 1, users: [titled] }]) {
      expect(converted(auth0, text)).toEqual({ people: [person], left: [] });
    }
  });

  test("CSV, which has an apostrophe before each text", () => {
    const names = Object.keys(titled).map((name) => `"${name}"`);
    const values = Object.values(titled).map((value) => (value === true ? "true" : `"'${value}"`));
    expect(converted(auth0, `${names.join()}\n${values.join()}\n`)).toEqual({ people: [person], left: [] });
  });

  test("hashes of its support, with ids that carry their prefix and members in camelCase", () => {
    const user = { _id: { $oid: "auth0|64" }, email: "a@b.c", emailVerified: true, password_hash: BCRYPT };
    expect(only(auth0, user)).toEqual({
      email: "a@b.c",
      emailVerified: true,
      externalId: "auth0|64",
      password: { hash: BCRYPT },
    });
  });

  test("somebody who signs in by a mailed code, as here", () => {
    const user = { user_id: "email|5f7c", email: "a@b.c", email_verified: true, identities: [{ provider: "email" }] };
    expect(converted(auth0, user)).toEqual({
      people: [{ email: "a@b.c", emailVerified: true, externalId: "email|5f7c" }],
      left: [],
    });
  });

  test("an id that says where somebody comes from, in digits that a double does not hold", () => {
    const text =
      '{"user_id":"github|1","email":"a@b.c","identities":[{"provider":"github","user_id":9007199254740993}]}';
    expect(only(auth0, text)?.identities).toEqual([{ provider: "github", subject: "9007199254740993" }]);
    const bare = { user_id: "google-oauth2|1035", email: "a@b.c", email_verified: true };
    expect(only(auth0, bare)?.identities).toEqual([{ provider: "google", subject: "1035" }]);
    expect(converted(auth0, { ...bare, user_id: "samlp|acme|1" }).left).toEqual(["sign-ins with samlp"]);
  });

  test("counts passwords and second factors that cannot come along", () => {
    const custom = { algorithm: "md5", hash: { value: "5f4dcc3b5aa765d61d8327deb882cf99", encoding: "hex" } };
    const user = { email: "a@b.c", email_verified: true, custom_password_hash: custom, multifactor: ["guardian"] };
    expect(converted(auth0, user).left).toEqual(["second factors", "passwords of a kind that is not taken"]);
    const taken = { ...user, multifactor: [], custom_password_hash: { hash: { value: BCRYPT } } };
    expect(converted(auth0, taken)).toMatchObject({ people: [{ password: { hash: BCRYPT } }], left: [] });
  });
});

describe("Clerk", () => {
  test("the JSON of its API", () => {
    const user = {
      id: "user_1",
      first_name: "Ada",
      last_name: null,
      banned: true,
      primary_email_address_id: "idn_2",
      email_addresses: [
        { id: "idn_1", email_address: "old@example.com", verification: { status: "verified" } },
        { id: "idn_2", email_address: "ada@example.com", verification: { status: "unverified" } },
      ],
      external_accounts: [{ provider: "oauth_google", provider_user_id: "1035", email_address: "ada@gmail.com" }],
      passkeys: [{ id: "p" }],
      password_enabled: true,
      totp_enabled: true,
      created_at: 1680674828000,
    };
    expect(converted(clerk, [user])).toEqual({
      people: [
        {
          email: "ada@example.com",
          emailVerified: false,
          externalId: "user_1",
          name: "Ada",
          createdAt: "2023-04-05T06:07:08.000Z",
          suspended: true,
          identities: [{ provider: "google", subject: "1035", email: "ada@gmail.com" }],
        },
      ],
      left: ["second factors", "passkeys", "passwords that were not given"],
    });
  });

  test("the JSON of its support, in which addresses stand with bars between them", () => {
    const user = {
      id: "user_1",
      email_addresses: "ada@example.com|a@b.c",
      password_digest: BCRYPT,
      password_hasher: "bcrypt",
    };
    expect(only(clerk, [user])).toMatchObject({
      email: "ada@example.com",
      emailVerified: false,
      password: { hash: BCRYPT },
    });
  });

  test("a digest that is not of its hasher costs the password, and odd secrets of apps the second factor", () => {
    const csv = `id,primary_email_address,verified_email_addresses,totp_secret,password_digest,password_hasher
user_1,a@b.c,NULL,"jbsw y3dp ehpk 3pxp==",REDACTED,bcrypt
user_2,b@b.c,b@b.c,018,\\N,
`;
    const { people, left } = converted(clerk, csv);
    expect(people.map(({ totp, emailVerified }) => [totp, emailVerified])).toEqual([
      [{ secret: "JBSWY3DPEHPK3PXP" }, false],
      [undefined, true],
    ]);
    expect(left).toEqual(["passwords hashed with bcrypt", "second factors of a kind that is not taken"]);
  });
});

describe("Firebase", () => {
  const user = { localId: "1", email: "a@b.c", emailVerified: true, passwordHash: FIREBASE.hash, salt: FIREBASE.salt };

  test.each([
    [
      "a hash that the exporter was not allowed to read",
      { passwordHash: btoa("REDACTED") },
      "passwords that were not given",
    ],
    ["a hash that is no Base64", { passwordHash: "%" }, "passwords that were not given"],
    ["a hash without its salt", { salt: undefined }, "passwords without their salt"],
    ["a second factor", { mfaInfo: [{ mfaEnrollmentId: "1" }] }, "second factors"],
  ])("%s is left out and counted, and the person comes in", (_name, odd, what) => {
    const { people, left } = converted(firebase, { users: [{ ...user, ...odd }] });
    expect([people.length, left]).toEqual([1, [what]]);
    expect(people[0]?.password !== undefined).toBe("mfaInfo" in odd);
  });

  test("what listUsers of its Admin SDK returns", () => {
    const listed = {
      uid: "1",
      email: "a@b.c",
      emailVerified: true,
      metadata: { creationTime: "Wed, 05 Apr 2023 06:07:08 GMT", lastSignInTime: null },
      passwordHash: FIREBASE.hash,
      passwordSalt: FIREBASE.salt,
      providerData: [{ uid: "1035", providerId: "google.com" }],
      multiFactor: { enrolledFactors: [{ uid: "f" }] },
    };
    expect(converted(firebase, { users: [listed] })).toEqual({
      people: [
        {
          email: "a@b.c",
          emailVerified: true,
          externalId: "1",
          createdAt: "2023-04-05T06:07:08.000Z",
          password: { kind: "firebase-scrypt", ...FIREBASE },
          identities: [{ provider: "google", subject: "1035" }],
        },
      ],
      left: ["second factors"],
    });
  });

  test("its CSV, which has no names of columns", () => {
    const cells = Array<string>(28).fill("");
    cells.splice(0, 6, "1", "a@b.c", "true", FIREBASE.hash, FIREBASE.salt, '"Lovelace, Ada"');
    cells[11] = "77";
    cells[19] = "583231";
    cells[23] = "1680674828000";
    cells[26] = "true";
    expect(converted(firebase, `${cells.join()},\n2,,false${",".repeat(25)}\n`)).toEqual({
      people: [
        {
          email: "a@b.c",
          emailVerified: true,
          externalId: "1",
          name: "Lovelace, Ada",
          createdAt: "2023-04-05T06:07:08.000Z",
          suspended: true,
          password: { kind: "firebase-scrypt", ...FIREBASE },
          identities: [{ provider: "github", subject: "583231" }],
        },
      ],
      left: ["sign-ins with facebook.com", "people without an address"],
    });
  });
});

describe("Cognito", () => {
  test.each([
    ["Enabled,UserStatus", "false,CONFIRMED", { emailVerified: true, suspended: true }],
    ["Enabled,UserStatus", "true,CONFIRMED", { emailVerified: true }],
    ["Enabled,UserStatus", "Enabled,CONFIRMED", { emailVerified: true }],
    ["Enabled,UserStatus", "TRUE,UNCONFIRMED", { emailVerified: false }],
    ["Enabled,UserStatus", "true,COMPROMISED", { emailVerified: true, suspended: true }],
    ["enabled,user_status", "1,FORCE_CHANGE_PASSWORD", { emailVerified: true }],
  ])("%s %s", (names, cells, expected) => {
    const csv = `sub,email,email_verified,${names}\r\n1,a@b.c,true,${cells}\r\n`;
    expect(converted(cognito, csv).people).toEqual([{ email: "a@b.c", externalId: "1", ...expected }]);
  });

  test("says whose proof it leaves out", () => {
    const csv = "sub,email,email_verified,UserStatus\n1,a@b.c,true,UNCONFIRMED\n";
    expect(converted(cognito, csv).left).toEqual(["proofs of addresses of unconfirmed people"]);
  });

  test("what list-users answers", () => {
    const attributes = {
      sub: "1",
      email: "a@b.c",
      email_verified: "true",
      name: "Ada",
      identities: '[{"userId":"1035","providerName":"Google","providerType":"Google"}]',
    };
    const user = {
      Username: "ada",
      Attributes: Object.entries(attributes).map(([Name, Value]) => ({ Name, Value })),
      UserCreateDate: "2023-04-05T06:07:08.123000+00:00",
      Enabled: false,
      UserStatus: "EXTERNAL_PROVIDER",
    };
    expect(converted(cognito, { Users: [user] })).toEqual({
      people: [
        {
          email: "a@b.c",
          emailVerified: true,
          externalId: "1",
          name: "Ada",
          createdAt: "2023-04-05T06:07:08.123Z",
          suspended: true,
          identities: [{ provider: "google", subject: "1035" }],
        },
      ],
      left: [],
    });
  });
});
