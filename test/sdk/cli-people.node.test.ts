/** Converting exports of other services, from samples as their documentation shows them. */
import { describe, expect, test } from "vitest";
import { bar } from "../../src/sdk/cli/output.ts";
import { auth0 } from "../../src/sdk/cli/people/auth0.ts";
import { betterAuth } from "../../src/sdk/cli/people/better-auth.ts";
import { clerk } from "../../src/sdk/cli/people/clerk.ts";
import { cognito } from "../../src/sdk/cli/people/cognito.ts";
import type { Converter } from "../../src/sdk/cli/people/converter.ts";
import { readCsv } from "../../src/sdk/cli/people/csv.ts";
import { firebase } from "../../src/sdk/cli/people/firebase.ts";
import { partsOf } from "../../src/sdk/cli/people/parts.ts";
import { supabase } from "../../src/sdk/cli/people/supabase.ts";

const BCRYPT = "$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2";

/** The people, without members that are undefined, and what was left out. */
function converted(converter: Converter, text: string) {
  const left: string[] = [];
  const people = [...converter(text, (what) => left.push(what))];
  return { people: JSON.parse(JSON.stringify(people)) as unknown[], left };
}

describe("people of", () => {
  test("Auth0's export of password hashes", () => {
    const line = {
      _id: { $oid: "60425dc43519d90068f82973" },
      email_verified: false,
      email: "test2@example.com",
      passwordHash: BCRYPT,
      password_set_date: { $date: "2021-03-05T16:32:18.775Z" },
      tenant: "dev-rwsbs6ym",
      connection: "Username-Password-Authentication",
      _tmp_is_unique: true,
    };
    const newer = {
      _id: { $oid: "1" },
      alt_id: "abc",
      identifiers: [{ type: "email", value: "ada@example.com", verified: true }],
    };
    expect(converted(auth0, `${JSON.stringify(line)}\n${JSON.stringify(newer)}\n{"_id":{"$oid":"2"}}\n`)).toEqual({
      people: [
        {
          email: "test2@example.com",
          emailVerified: false,
          externalId: "auth0|60425dc43519d90068f82973",
          password: { hash: BCRYPT },
        },
        { email: "ada@example.com", emailVerified: true, externalId: "auth0|abc" },
      ],
      left: ["people without an address"],
    });
  });

  test("Auth0's export of users, with their sign-ins", () => {
    const user = {
      user_id: "google-oauth2|103547991597142817347",
      email: "ada@example.com",
      email_verified: true,
      name: "Ada Lovelace",
      created_at: "2023-04-05T06:07:08.000Z",
      blocked: true,
      identities: [
        { provider: "google-oauth2", user_id: "103547991597142817347", connection: "google-oauth2", isSocial: true },
        { provider: "apple", user_id: "001" },
        { provider: "auth0", user_id: "60425" },
      ],
    };
    expect(converted(auth0, JSON.stringify(user))).toEqual({
      people: [
        {
          email: "ada@example.com",
          emailVerified: true,
          externalId: "google-oauth2|103547991597142817347",
          name: "Ada Lovelace",
          createdAt: "2023-04-05T06:07:08.000Z",
          suspended: true,
          identities: [{ provider: "google", subject: "103547991597142817347" }],
        },
      ],
      left: ["sign-ins with apple"],
    });
  });

  test("Clerk", () => {
    const names =
      "id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses," +
      "unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest," +
      "password_hasher";
    const csv = `${names}
user_1,Ada,Lovelace,,Ada@example.com,,ada@example.com,,,,JBSWY3DPEHPK3PXP,${BCRYPT},bcrypt
user_2,,,,bob@example.com,,,bob@example.com,,,,5f4dcc3b5aa765d61d8327deb882cf99,md5
user_3,,,,eve@example.com,,,,,,,scrypt:1000:8:1$salt$00,scrypt_werkzeug
`;
    expect(converted(clerk, csv)).toEqual({
      people: [
        {
          email: "Ada@example.com",
          emailVerified: true,
          externalId: "user_1",
          name: "Ada Lovelace",
          password: { hash: BCRYPT },
          totp: { secret: "JBSWY3DPEHPK3PXP" },
        },
        { email: "bob@example.com", emailVerified: false, externalId: "user_2" },
        { email: "eve@example.com", emailVerified: false, externalId: "user_3" },
      ],
      left: ["passwords hashed with md5", "passwords hashed with scrypt_werkzeug"],
    });
  });

  test("Firebase", () => {
    const user = {
      localId: "RzSH2hxPWWOsLDGlUTTRp3D",
      email: "ada@example.com",
      emailVerified: true,
      passwordHash: "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==",
      salt: "42xEC-ixf3L2lw==",
      displayName: "Ada",
      createdAt: "1680674828000",
      disabled: true,
      providerUserInfo: [
        { providerId: "google.com", rawId: "1035", email: "ada@gmail.com" },
        { providerId: "microsoft.com", rawId: "7" },
        { providerId: "password", rawId: "ada@example.com" },
      ],
    };
    expect(converted(firebase, JSON.stringify({ users: [user, { localId: "phone" }] }))).toEqual({
      people: [
        {
          email: "ada@example.com",
          emailVerified: true,
          externalId: user.localId,
          name: "Ada",
          createdAt: "2023-04-05T06:07:08.000Z",
          suspended: true,
          password: { kind: "firebase-scrypt", hash: user.passwordHash, salt: user.salt },
          identities: [{ provider: "google", subject: "1035", email: "ada@gmail.com" }],
        },
      ],
      left: ["sign-ins with microsoft.com", "people without an address"],
    });
  });

  test("Supabase, as CSV and as JSON", () => {
    const row = {
      id: "7c1d",
      email: "ada@example.com",
      encrypted_password: BCRYPT,
      email_confirmed_at: "2023-04-05 06:07:08.123456+00",
      created_at: "2023-04-05 06:07:08.123456+00",
      banned_until: "",
      raw_user_meta_data: '{"full_name":"Ada Lovelace","quote":"\\"x\\""}',
      deleted_at: "",
    };
    const quoted = Object.values(row).map((value) => `"${value.replaceAll('"', '""')}"`);
    const csv = `${Object.keys(row).join(",")}\r\n${quoted.join(",")}\r\n`;
    const person = {
      email: "ada@example.com",
      emailVerified: true,
      externalId: "7c1d",
      name: "Ada Lovelace",
      createdAt: "2023-04-05T06:07:08.123Z",
      password: { hash: BCRYPT },
    };
    expect(converted(supabase, csv)).toEqual({ people: [person], left: [] });
    const json = [
      { ...row, raw_user_meta_data: { name: "Ada" }, banned_until: "2999-01-01 00:00:00+00" },
      { ...row, deleted_at: row.created_at },
    ];
    expect(converted(supabase, JSON.stringify(json))).toEqual({
      people: [{ ...person, name: "Ada", suspended: true }],
      left: ["deleted people"],
    });
  });

  test("better-auth", () => {
    const password = `${"a".repeat(32)}:${"b".repeat(128)}`;
    const tables = {
      user: [{ id: "u1", name: "Ada", email: "ada@example.com", emailVerified: 1, createdAt: 1680674828000 }],
      account: [
        { userId: "u1", providerId: "credential", accountId: "u1", password },
        { userId: "u1", providerId: "github", accountId: "583231" },
        { userId: "u1", providerId: "discord", accountId: "1" },
      ],
    };
    expect(converted(betterAuth, JSON.stringify(tables))).toEqual({
      people: [
        {
          email: "ada@example.com",
          emailVerified: true,
          externalId: "u1",
          name: "Ada",
          createdAt: "2023-04-05T06:07:08.000Z",
          password: { hash: password },
          identities: [{ provider: "github", subject: "583231" }],
        },
      ],
      left: ["sign-ins with discord"],
    });
  });

  test("Cognito", () => {
    const csv =
      "name,given_name,family_name,email,email_verified,sub,cognito:username\n" +
      ",Ada,Lovelace,ada@example.com,TRUE,0f1,ada\n,,,,,0f2,bob\n";
    expect(converted(cognito, csv)).toEqual({
      people: [{ email: "ada@example.com", emailVerified: true, externalId: "0f1", name: "Ada Lovelace" }],
      left: ["people without an address"],
    });
  });
});

test("CSV may have quotes, commas and line feeds in fields, and a mark at its beginning", () => {
  const text = '\uFEFFa,b,c\r\n"1,""x""","two\nlines",\r\n\r\n4,5,6';
  expect([...readCsv(text)]).toEqual([
    { a: '1,"x"', b: "two\nlines", c: "" },
    { a: "4", b: "5", c: "6" },
  ]);
});

test("a bar is filled as far as the work is done", () => {
  expect([bar(0, 0), bar(1, 4), bar(7, 7)]).toEqual([
    "[....................]",
    "[#####...............]",
    "[####################]",
  ]);
});

test("a part has at most 20,000 lines and 4 MiB", () => {
  const people = (count: number, name?: string) => Array.from({ length: count }, () => ({ email: "a@b.c", name }));
  expect([...partsOf(people(20_001))].map((part) => part.trim().split("\n").length)).toEqual([20_000, 1]);
  const parts = [...partsOf(people(5_000, "x".repeat(1_000)))];
  expect(parts.length).toBe(2);
  for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(4 * 1024 * 1024);
});
