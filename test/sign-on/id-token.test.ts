/** What an ID token of a tenant's provider must say, each check wrong, missing and at its bound. */
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/base/schemas/connection-settings";
import { checkClaims } from "../../src/sign-on/oidc/id-token";
import { lacksClaims, personOf } from "../../src/sign-on/oidc/person";
import { readAnswer } from "../../src/sign-on/oidc/tokens";
import { SignOnRefused } from "../../src/sign-on/refused";
import { PROVIDER } from "../support/signed-on";

const NOW = 1_800_000_000;
const ISSUER = "https://idp.example";
const ENTRA = "https://login.microsoftonline.com/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f/v2.0";
const GOOD = { iss: ISSUER, aud: "app", sub: "ada", nonce: "n", iat: NOW, exp: NOW + 300 };
const SESSION = { maxAgeSeconds: null, acrValues: [], requireMfa: false };

/** The reason for which claims are refused; null for good ones. */
function reasonOf(claims: object, session: object = {}, issuer = ISSUER): string | null {
  try {
    const expected = { issuer, clientId: "app", nonce: "n", session: { ...SESSION, ...session } };
    checkClaims({ ...GOOD, ...claims }, expected, NOW * 1000);
    return null;
  } catch (error) {
    if (error instanceof SignOnRefused) return error.reason;
    throw error;
  }
}

test.each<[string, object, string | null]>([
  ["another issuer", { iss: `${ISSUER}/` }, "issuer"],
  ["no issuer", { iss: undefined }, "issuer"],
  ["another audience", { aud: "other" }, "audience"],
  ["no audience", { aud: undefined }, "audience"],
  ["an audience in a list", { aud: ["app"] }, null],
  ["several audiences without azp", { aud: ["app", "other"] }, "audience"],
  ["several audiences with another azp", { aud: ["app", "other"], azp: "other" }, "audience"],
  ["several audiences with our azp", { aud: ["app", "other"], azp: "app" }, null],
  ["one audience with another azp", { azp: "other" }, "audience"],
  ["an audience that is no text", { aud: ["app", 1], azp: "app" }, "audience"],
  ["another nonce", { nonce: "m" }, "nonce"],
  ["no nonce", { nonce: undefined }, "nonce"],
  ["an end 60 seconds ago", { exp: NOW - 60 }, null],
  ["an end 61 seconds ago", { exp: NOW - 61 }, "expired"],
  ["no end", { exp: undefined }, "expired"],
  ["an end that is a text", { exp: String(NOW + 300) }, "expired"],
  ["a beginning in 60 seconds", { nbf: NOW + 60 }, null],
  ["a beginning in 61 seconds", { nbf: NOW + 61 }, "clock_skew"],
  ["a beginning that is a text", { nbf: "now" }, "clock_skew"],
  ["made in 60 seconds", { iat: NOW + 60 }, null],
  ["made in 61 seconds", { iat: NOW + 61 }, "clock_skew"],
  ["made 660 seconds ago", { iat: NOW - 660 }, null],
  ["made 661 seconds ago", { iat: NOW - 661 }, "clock_skew"],
  ["made at no time", { iat: undefined }, "clock_skew"],
  ["a sign-in in 61 seconds", { auth_time: NOW + 61 }, "max_age"],
  ["no subject", { sub: undefined }, "no_subject"],
  ["an empty subject", { sub: "" }, "no_subject"],
  ["a subject of 255 characters", { sub: "a".repeat(255) }, null],
  ["a subject of 256 characters", { sub: "a".repeat(256) }, "no_subject"],
])("an ID token with %s", (_, claims, reason) => {
  expect(reasonOf(claims)).toBe(reason);
});

test.each<[string, object, object, string | null]>([
  ["a sign-in as old as is allowed, and 60 seconds", { auth_time: NOW - 160 }, { maxAgeSeconds: 100 }, null],
  ["an older sign-in", { auth_time: NOW - 161 }, { maxAgeSeconds: 100 }, "max_age"],
  ["no time of the sign-in, where one is asked for", {}, { maxAgeSeconds: 100 }, "max_age"],
  ["one of the ways that are asked for", { acr: "b" }, { acrValues: ["a", "b"] }, null],
  ["another way", { acr: "c" }, { acrValues: ["a", "b"] }, "acr"],
  ["no way, whatever amr says", { amr: ["mfa"] }, { acrValues: ["a"] }, "acr"],
  ["a second factor, where one is required", { amr: ["pwd", "mfa"] }, { requireMfa: true }, null],
  ["no second factor, where one is required", { amr: ["pwd"] }, { requireMfa: true }, "mfa_missing"],
  ["a way that counts as one", { acr: "a" }, { acrValues: ["a"], requireMfa: true }, null],
])("an ID token with %s", (_, claims, session, reason) => {
  expect(reasonOf(claims, session)).toBe(reason);
});

test("an answer names its issuer where the provider announces that", () => {
  const provider = { ...PROVIDER, namesIssuer: true };
  const answer = (more: object) => new URLSearchParams({ code: "c", state: "s", ...more });
  const read = (more: object) =>
    readAnswer({ provider: { ...provider, issuer: ISSUER }, clientId: "app", redirectUri: ISSUER }, answer(more), "s");
  expect(read({ iss: ISSUER }).get("code")).toBe("c");
  expect(() => read({})).toThrow("issuer");
});

test("an ID token of Entra is of the directory that its issuer names", () => {
  const of = (tid: unknown) => reasonOf({ iss: ENTRA, tid }, {}, ENTRA);
  expect([
    of("0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f"),
    of("0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e00"),
    of(undefined),
  ]).toEqual([null, "tid", "tid"]);
});

describe("who has signed on", () => {
  const settings = (more: object) => ({ ...DEFAULT_SETTINGS, ...more });
  const rules = [
    { group: "Admins", role: "admin" },
    { claim: "team.name", equals: "blue", role: "developer" },
  ];
  const roles = { default: "viewer", rules, when: "every" } as const;
  const roleIn = (claims: object, more: object = {}) =>
    personOf({ sub: "ada", ...claims }, settings({ roles: { ...roles, ...more } })).role;

  test.each<[string, object, object | string]>([
    ["a group", { groups: ["Users", "Admins"] }, { role: "admin", rule: 0 }],
    ["one group that is no list", { groups: "Admins" }, { role: "admin", rule: 0 }],
    ["a part of a group's name", { groups: ["Admins2"] }, { role: "viewer", rule: null }],
    ["a claim within an object", { team: { name: "blue" } }, { role: "developer", rule: 1 }],
    [
      "a claim with a dot in its name, first",
      { "team.name": "red", team: { name: "blue" } },
      { role: "viewer", rule: null },
    ],
    ["nothing that a rule names", {}, { role: "viewer", rule: null }],
    ["too many groups for Entra", { _claim_names: { groups: "src1" }, team: { name: "blue" } }, "unchanged"],
    ["too many groups, in a short form", { hasgroups: "true" }, "unchanged"],
  ])("gets a role by %s", (_, claims, role) => {
    expect(roleIn(claims)).toEqual(role);
  });

  test("gets none without a rule where there is no default", () => {
    expect(roleIn({}, { default: null })).toEqual({ role: null, rule: null });
  });

  test.each<[unknown, boolean | null]>([
    [true, true],
    ["True", true],
    [undefined, null],
    [false, false],
    ["false", false],
    [1, false],
  ])("has an address that is verified by %j: %j", (claim, verified) => {
    expect(personOf({ sub: "ada", email_verified: claim }, DEFAULT_SETTINGS).emailVerified).toBe(verified);
  });

  test("is named by oid where the connection says so, and by nothing else then", () => {
    const byOid = settings({ attributes: { ...DEFAULT_SETTINGS.attributes, subject: "oid" } });
    expect(personOf({ sub: "ada", oid: "one" }, byOid).subject).toBe("one");
    expect(() => personOf({ sub: "ada" }, byOid)).toThrow(SignOnRefused);
  });

  test("is looked up at userinfo for the claims that lack, and not for groups that are elsewhere", () => {
    const whole = { sub: "ada", email: "ada@example.com", name: "Ada" };
    expect(lacksClaims(whole, DEFAULT_SETTINGS)).toBe(false);
    expect(lacksClaims({ ...whole, email: undefined }, DEFAULT_SETTINGS)).toBe(true);
    const byGroup = settings({ roles: { ...roles, rules: rules.slice(0, 1) } });
    expect(lacksClaims(whole, byGroup)).toBe(true);
    expect(lacksClaims({ ...whole, _claim_names: { groups: "src1" } }, byGroup)).toBe(false);
  });
});
