/** Filters of SCIM lists: what is understood, and that all else is refused instead of finding nobody. */
import { describe, expect, test } from "vitest";
import { parseFilter } from "../../src/directory/protocol/filter";

const TIME_MS = Date.UTC(2026, 10, 30, 1, 2, 3);

describe("is understood", () => {
  test.each([
    // As Entra and Okta write them.
    [
      'userName eq "Test_User_dfeef4c5-5681-4387-b016-bdf221e82081"',
      "userName",
      "eq",
      "Test_User_dfeef4c5-5681-4387-b016-bdf221e82081",
    ],
    ['emails[type eq "work"].value eq "tom@example.com"', "emails.value", "eq", "tom@example.com", "work"],
    ['externalId eq "00u1"', "externalId", "eq", "00u1"],
    ['USERNAME EQ "a b"', "userName", "eq", "a b"],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', "userName", "eq", "a"],
    ['emails eq "a@b.c"', "emails.value", "eq", "a@b.c"],
    ['emails.value sw "a"', "emails.value", "sw", "a"],
    ['emails[ type  eq "WORK" ].value co "a"', "emails.value", "co", "a", "work"],
    ["displayName pr", "displayName", "pr", null],
    ["active eq true", "active", "eq", true],
    ['active eq "False"', "active", "eq", false],
    ['id eq "no such id"', "id", "eq", "no such id"],
    ['userName eq "say \\"hi\\" \\u00e9 and go"', "userName", "eq", 'say "hi" é and go'],
    ['meta.lastModified ge "2026-11-30T01:02:03Z"', "meta.lastModified", "ge", TIME_MS],
    ['meta.lastModified gt "2026-11-30T02:02:03.000+01:00"', "meta.lastModified", "gt", TIME_MS],
  ])("%s", (text, attribute, operator, value, emailType?: string) => {
    expect(parseFilter(text, "User")).toEqual([{ attribute, operator, value, ...(emailType && { emailType }) }]);
  });

  test("groups by member, and five conditions", () => {
    const id = { attribute: "id", operator: "eq", value: "a" };
    const member = { attribute: "members.value", operator: "eq", value: "b" };
    expect(parseFilter('id eq "a" and members eq "b"', "Group")).toEqual([id, member]);
    const five = Array.from({ length: 5 }, () => 'id eq "a"').join(" AND ");
    expect(parseFilter(five, "Group")).toEqual([id, id, id, id, id]);
    expect(() => parseFilter(`${five} and id eq "a"`, "Group")).toThrow("conditions");
  });
});

describe("is refused as invalidFilter", () => {
  const long = "a".repeat(3_000);
  test.each([
    ["User", ""],
    ["User", "userName"],
    ["User", "userName eq"],
    ["User", "userName eq a"],
    ["User", 'userName eq "a'],
    ["User", 'userName eq "a" and'],
    ["User", 'userName eq "a" or userName eq "b"'],
    ["User", 'not (userName eq "a")'],
    ["User", '(userName eq "a")'],
    ["User", 'userName eq "a" userName eq "b"'],
    ["User", 'userName ne "a"'],
    ["User", 'userName gt "a"'],
    ["User", 'externalId co "a"'],
    ["User", "userName eq true"],
    ["User", 'active eq "maybe"'],
    ["User", 'title eq "a"'],
    ["User", 'name.givenName eq "a"'],
    ["User", 'members eq "a"'],
    ["User", 'groups.value eq "a"'],
    ["User", 'emails.type eq "work"'],
    ["User", 'emails[type eq "work"].type eq "work"'],
    ["User", 'emails[type eq "work" and value eq "a"].value eq "a"'],
    ["User", 'emails[emails[type eq "a"].value eq "a"].value eq "a"'],
    ["User", 'emails[type eq "work".value eq "a"'],
    ["User", 'meta.lastModified ge "yesterday"'],
    ["User", 'meta.created ge "2026-11-30T01:02:03Z"'],
    ["User", 'toString eq "a"'],
    ["User", `userName eq "${long}"`],
    ["User", "[".repeat(2_000)],
    ["User", '"a\\'.repeat(600)],
    ["Group", 'userName eq "a"'],
    ["Group", 'members[value eq "a"].value eq "a"'],
  ] as const)("%s: %.60s", (kind, text) => {
    expect(() => parseFilter(text, kind)).toThrow(expect.objectContaining({ status: 400, scimType: "invalidFilter" }));
  });
});
