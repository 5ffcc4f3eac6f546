/** Whole people as directories send them, and what of their changes is refused. */
import { describe, expect, test } from "vitest";
import { patchUser } from "../../src/directory/protocol/patch-user";
import { addressOf, type DirectoryUser, readUser, replaceUser } from "../../src/directory/protocol/user";

const stored = (record: Partial<DirectoryUser> = {}) => ({
  id: "23a35c27-23d3-4c03-b4c5-6443c09e7173",
  version: 3,
  createdAt: 0,
  updatedAt: 1_000,
  groups: [{ value: "g1", display: "Sales" }],
  record: { userName: "anna", active: true, ...record },
});

const EMAILS = {
  emails: [
    { value: "a@x.com", type: "work" },
    { value: "b@x.com", type: "home" },
  ],
};

function changed(record: Partial<DirectoryUser>, ...Operations: unknown[]) {
  const { userName, active, ...others } = patchUser(stored(record), { Operations });
  return others;
}

describe("a whole person", () => {
  const okta = {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: "test.user@okta.local",
    name: { givenName: "Test", middleName: "", familyName: "User" },
    emails: [{ primary: true, value: "test.user@okta.local", type: "work" }],
    displayName: "Test User",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
  };

  test("is kept as Okta sends it, without the password", () => {
    const { schemas, groups, password, ...kept } = okta;
    expect(readUser(okta)).toEqual({ ...kept, name: { givenName: "Test", familyName: "User" } });
  });

  test("keeps active and externalId when a PUT leaves them out, and nothing else", () => {
    const present = stored({ active: false, externalId: "e", title: "T" });
    expect(replaceUser(present, { userName: "b", id: "other" })).toEqual({
      userName: "b",
      active: false,
      externalId: "e",
    });
    expect(replaceUser(present, { userName: "b", active: "True", externalId: null })).toEqual({
      userName: "b",
      active: true,
    });
  });

  test.each([
    [[{ value: "A@x.com" }, { value: "b@x.com", primary: true }], "b@x.com"],
    [[{ value: "a@x.com" }, { value: "B@x.com", type: "Work" }], "b@x.com"],
    [[{ value: "a@x.com" }, { value: "b@x.com" }], "a@x.com"],
    [[], "anna@x.com"],
  ])("has one address: %j", (emails, address) => {
    expect(addressOf(readUser({ userName: "Anna@x.com", emails }))).toBe(address);
  });

  test("may have none", () => {
    expect(addressOf(readUser({ userName: "anna" }))).toBeNull();
  });
});

describe("refused, and nothing changes", () => {
  test.each<[string, unknown, number, string?]>([
    ["active: maybe", { op: "replace", path: "active", value: "maybe" }, 400, "invalidValue"],
    ["active: 1", { op: "replace", path: "active", value: 1 }, 400, "invalidValue"],
    ["a number for a text", { op: "replace", path: "title", value: 1 }, 400, "invalidValue"],
    ["two values for one", { op: "replace", path: "title", value: ["a", "b"] }, 400, "invalidValue"],
    ["half a character", { op: "replace", path: "title", value: "\ud800" }, 400, "invalidValue"],
    ["no value", { op: "add", path: "title" }, 400, "invalidValue"],
    ["no user name", { op: "remove", path: "userName" }, 400, "invalidValue"],
    [
      "two primary addresses",
      {
        op: "add",
        path: "emails",
        value: [
          { value: "a", primary: true },
          { value: "b", primary: true },
        ],
      },
      400,
      "invalidValue",
    ],
    ["a value without path that is no object", { op: "replace", value: "a" }, 400, "invalidValue"],
    ["a removal without path", { op: "remove", value: { title: "a" } }, 400, "noTarget"],
    ["another verb", { op: "move", path: "title", value: "a" }, 400, "invalidSyntax"],
    ["another id", { op: "replace", path: "id", value: "other" }, 400, "mutability"],
    ["other groups", { op: "replace", path: "groups", value: [] }, 400, "mutability"],
    ["a removal of groups", { op: "remove", path: 'groups[value eq "g1"]' }, 400, "mutability"],
    ["other data", { op: "replace", path: "meta", value: { version: 'W/"4"' } }, 400, "mutability"],
    ["a path of three", { op: "add", path: "name.givenName.first", value: "a" }, 0],
    ["a path that does not end", { op: "add", path: 'emails[type eq "work"', value: "a" }, 400, "invalidPath"],
    ["an empty path", { op: "add", path: "", value: "a" }, 400, "invalidPath"],
    ["a path that is no text", { op: "add", path: 1, value: "a" }, 400, "invalidPath"],
    ["brackets without a list", { op: "add", path: 'name[type eq "a"].givenName', value: "a" }, 400, "invalidPath"],
    ["another comparison", { op: "add", path: 'emails[type ne "work"].value', value: "a" }, 400, "invalidFilter"],
    ["more than 8 KiB", { op: "add", path: "title", value: "é".repeat(4_100) }, 413],
    [
      "addresses without end",
      { op: "add", path: "emails", value: Array.from({ length: 700 }, () => ({ value: "a" })) },
      413,
    ],
  ])("%s", (_, operation, status, scimType?) => {
    const change = () => changed(EMAILS, { op: "add", path: "title", value: "kept" }, operation);
    if (status === 0) expect(change()).toEqual({ ...EMAILS, title: "kept" });
    else expect(change).toThrow(expect.objectContaining({ status, scimType }));
  });

  test.each([null, [], "text", {}, { Operations: {} }, { Operations: [1] }])("the body %j", (body) => {
    expect(() => patchUser(stored(), body)).toThrow(
      expect.objectContaining({ status: 400, scimType: "invalidSyntax" }),
    );
  });

  test("more than 100 operations, and more than 1,000 members of one", () => {
    const operations = Array.from({ length: 101 }, () => ({ op: "add", path: "title", value: "a" }));
    expect(() => changed({}, ...operations)).toThrow(expect.objectContaining({ scimType: "tooMany" }));
    const value = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`x${i}`, 1]));
    expect(() => changed({}, { op: "add", value })).toThrow(expect.objectContaining({ scimType: "tooMany" }));
  });
});
