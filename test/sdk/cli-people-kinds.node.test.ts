/** What every converter of the command line has in common, and any CSV. */
import { describe, expect, test } from "vitest";
import { auth0 } from "../../src/sdk/cli/people/auth0.ts";
import { clerk } from "../../src/sdk/cli/people/clerk.ts";
import { cognito } from "../../src/sdk/cli/people/cognito.ts";
import { firebase } from "../../src/sdk/cli/people/firebase.ts";
import { csvWith } from "../../src/sdk/cli/people/generic-csv.ts";
import { keycloak } from "../../src/sdk/cli/people/keycloak.ts";
import { supabase } from "../../src/sdk/cli/people/supabase.ts";
import { converted } from "../support/converted.ts";

describe("any CSV", () => {
  test("with its columns named, such as Django's table of users", () => {
    const columns = [
      "email=email, externalId=id,firstName=first_name,lastName=last_name",
      "active=is_active,password=password,createdAt=date_joined",
    ].join();
    const hash = `pbkdf2_sha256$1500000$salt$${btoa("x".repeat(32))}`;
    const csv = `id,password,first_name,last_name,email,is_active,date_joined
1,${hash},Ada,Lovelace,a@b.c,True,2023-04-05 06:07:08.123456+00
2,!unusable,,,b@b.c,0,2023-04-05
3,md5$salt$00,,,c@b.c,t,2999-01-01
`;
    const { people, left } = converted(csvWith(columns), csv);
    expect(people).toEqual([
      {
        email: "a@b.c",
        externalId: "1",
        emailVerified: false,
        name: "Ada Lovelace",
        createdAt: "2023-04-05T06:07:08.123Z",
        password: { hash },
      },
      { email: "b@b.c", externalId: "2", emailVerified: false, createdAt: "2023-04-05T00:00:00.000Z", suspended: true },
      { email: "c@b.c", externalId: "3", emailVerified: false },
    ]);
    expect(left).toEqual(["times of creation that are not taken", "passwords of a kind that is not taken"]);
  });

  test("with two columns of one name, as joined tables have, and times in other forms, which are counted", () => {
    const csv = "email,made,email\na@b.c,31/12/2020,\n,0000-00-00 00:00:00,b@b.c\n";
    expect(converted(csvWith("email=email,createdAt=made"), csv)).toEqual({
      people: ["a@b.c", "b@b.c"].map((email) => ({ email, emailVerified: false })),
      left: ["times of creation that are not taken"],
    });
  });

  test("takes a time as a proof, and names columns that are missing", () => {
    const csv = "Mail,Verified At\na@b.c,2023-04-05 06:07:08\nb@b.c,0000-00-00 00:00:00\n";
    const { people } = converted(csvWith("email=Mail,emailVerified=Verified At"), csv);
    expect(people.map(({ emailVerified }) => emailVerified)).toEqual([true, false]);
    expect(() => converted(csvWith("email=Mail,name=Name"), csv)).toThrow(/no column Name\. It has: Mail, Verified At/);
    for (const given of [undefined, "", "mail=Mail", "email", "name=Name"]) {
      expect(() => csvWith(given)).toThrow(expect.objectContaining({ exitCode: 2 }));
    }
  });
});

test("a table as JSON is read by the names of its columns, and a number of many digits as an id", () => {
  const text = '{"Mail":"a@b.c","pk":9007199254740993}\n{"Mail":"b@b.c"}\n';
  expect(converted(csvWith("email=Mail,externalId=pk"), text).people).toEqual([
    { email: "a@b.c", emailVerified: false, externalId: "9007199254740993" },
    { email: "b@b.c", emailVerified: false },
  ]);
});

test("Django's dumpdata is read like its table", () => {
  const user = { model: "auth.user", pk: 7, fields: { email: "a@b.c", is_active: false, password: "!x" } };
  expect(converted(csvWith("email=email,externalId=pk,active=is_active,password=password"), [user])).toEqual({
    people: [{ email: "a@b.c", emailVerified: false, externalId: "7", suspended: true }],
    left: [],
  });
});

const CONVERTERS = { auth0, clerk, firebase, supabase, cognito, keycloak, csv: csvWith("email=email") };

describe.each(Object.entries(CONVERTERS))("every converter, such as that of %s,", (_name, converter) => {
  test.each([
    ["semicolons", "id;email\n1;a@b.c\n", /separated by semicolons/],
    ["tabs", "id\temail\n1\ta@b.c\n", /separated by tabs/],
    ["other names", "id,mail\n1,a@b.c\n", /It has: id, mail/],
  ])("ends with 1 for a CSV with %s, and says what it has found", (_what, text, sentence) => {
    const failure = { exitCode: 1, message: expect.stringMatching(sentence) };
    expect(() => converted(converter, text)).toThrow(expect.objectContaining(failure));
  });

  test("ends with 2 for a CSV whose quotes are not doubled or do not end", () => {
    for (const text of ['id,email\n1,"{\\"a\\":1}"\n', 'id,email\r\n"1,a@b.c\r\n']) {
      const failure = { exitCode: 2, message: expect.stringMatching(/Line 2 has a quote/) };
      expect(() => converted(converter, text)).toThrow(expect.objectContaining(failure));
    }
  });

  test("reads lines that end in CR alone, and counts people without an address", () => {
    const names = converter === clerk ? "primary_email_address,verified_email_addresses" : "email,email_verified";
    expect(converted(converter, `${names}\ra@b.c,\r"b@b.c",\r,\r`).people.map(({ email }) => email)).toEqual([
      "a@b.c",
      "b@b.c",
    ]);
    expect(converted(converter, `${names}\r,x\r`).left).toContain("people without an address");
  });
});

describe.each(Object.entries({ auth0, clerk, firebase, supabase, cognito }))("JSON for %s", (_name, converter) => {
  test("ends with 2 if it cannot be parsed, wherever the fault stands", () => {
    for (const text of ['[{"email":"a@b.c"},', '{"email":"a@b.c"}\n{"email":\n', '{"email":', "[1]"]) {
      expect(() => converted(converter, text)).toThrow(expect.objectContaining({ exitCode: 2 }));
    }
  });

  test("ends with 1 if nothing in it is understood, and says what it has found", () => {
    const failure = { exitCode: 1, message: expect.stringMatching(/It has: foo, bar/) };
    expect(() => converted(converter, [{ foo: 1, bar: 2 }])).toThrow(expect.objectContaining(failure));
  });

  test("is read by lines as well as in a list", () => {
    const user = { id: "1", email: "a@b.c", email_verified: true, name: "A".repeat(201) };
    expect(
      converted(converter, `${JSON.stringify(user)}\r\n\n${JSON.stringify({ ...user, id: "2" })}\n`).people,
    ).toHaveLength(2);
    expect(converted(converter, [user, user]).people).toHaveLength(2);
  });
});

test("a file that says of nobody whether the address is proven is told", () => {
  expect(converted(cognito, "sub,email\n1,a@b.c\n").left).toEqual([
    "proofs of addresses, because the file has no email_verified",
  ]);
});

test("a person comes in without a name or an id that is not taken, and both are counted", () => {
  const user = { sub: "a/b", email: "a@b.c", email_verified: "true", name: "A".repeat(201) };
  expect(converted(cognito, [user])).toEqual({
    people: [{ email: "a@b.c", emailVerified: true }],
    left: ["ids that are not taken", "names of more than 200 characters"],
  });
});

const HASH = `$2b$12$${"a".repeat(53)}`;

test.each<[string, string, unknown, object]>([
  [
    "Okta",
    "email=profile.email,externalId=id,firstName=profile.firstName,lastName=profile.lastName,active=status",
    [{ id: "00u1", status: "ACTIVE", profile: { email: "ada@e.example", firstName: "Ada", lastName: "Lovelace" } }],
    { externalId: "00u1", name: "Ada Lovelace" },
  ],
  [
    "Okta, somebody who is locked out",
    "email=profile.email,active=status",
    [{ status: "LOCKED_OUT", profile: { email: "ada@e.example" } }],
    { suspended: true },
  ],
  [
    "Ory Kratos",
    "email=traits.email,emailVerified=verifiable_addresses.0.verified,active=state," +
      "password=credentials.password.config.hashed_password",
    [
      {
        id: "0c6c",
        state: "active",
        traits: { email: "ada@e.example" },
        verifiable_addresses: [{ value: "ada@e.example", verified: true }],
        credentials: { password: { type: "password", config: { hashed_password: HASH } } },
      },
    ],
    { emailVerified: true, password: { hash: HASH } },
  ],
  [
    "ZITADEL",
    "email=human.email.email,emailVerified=human.email.isVerified,externalId=userId,active=state",
    {
      result: [
        {
          userId: "69629023906488334",
          state: "USER_STATE_ACTIVE",
          human: { email: { email: "ada@e.example", isVerified: true } },
        },
      ],
    },
    { externalId: "69629023906488334", emailVerified: true },
  ],
  [
    "Keycloak",
    "email=email,emailVerified=emailVerified,externalId=id,active=enabled,createdAt=createdTimestamp",
    {
      realm: "r",
      users: [
        { id: "f1", email: "ada@e.example", emailVerified: true, enabled: false, createdTimestamp: 1700000000000 },
      ],
    },
    { externalId: "f1", emailVerified: true, suspended: true, createdAt: "2023-11-14T22:13:20.000Z" },
  ],
  [
    "Stytch",
    "email=emails.0.email,emailVerified=emails.0.verified,firstName=name.first_name,active=status",
    {
      results: [
        { emails: [{ email: "ada@e.example", verified: true }], name: { first_name: "Ada" }, status: "active" },
      ],
    },
    { emailVerified: true, name: "Ada" },
  ],
])("%s: nested JSON is read by paths", (_service, columns, exported, expected) => {
  const { people } = converted(csvWith(columns), JSON.stringify(exported));
  const [person] = people;
  expect(person).toMatchObject({ email: "ada@e.example", ...expected });
  expect(person?.suspended).toBe("suspended" in expected ? true : undefined);
});

test("a CSV with a comma that is not in quotes ends with 2: the fields behind it are in wrong columns", () => {
  const failure = { exitCode: 2, message: expect.stringMatching(/^Record 2 has more fields/) };
  const names = "name,email,email_verified";
  expect(() => converted(cognito, `${names}\nLovelace, Ada,a@b.c,true\n`)).toThrow(expect.objectContaining(failure));
  expect(converted(cognito, `${names}\nAda,a@b.c,true,,\nBo,b@b.c\n`).people).toHaveLength(2);
});
