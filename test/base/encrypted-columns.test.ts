/** Every encrypted column is moved to the newest entry of SECRET_KEYS, so that the old entry can go. */
import { getTableColumns, getTableName, is, Table } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as control from "../../src/base/tables/control-plane";
import * as credentials from "../../src/base/tables/credentials";
import * as delivery from "../../src/base/tables/delivery";
import * as types from "../../src/base/tables/event-types";
import * as imports from "../../src/base/tables/imports";
import * as platform from "../../src/base/tables/platform";
import * as portal from "../../src/base/tables/portal";
import * as service from "../../src/base/tables/service";
import * as signOn from "../../src/base/tables/sign-on";
import * as singleUse from "../../src/base/tables/single-use";
import * as sources from "../../src/base/tables/sources";
import { CONTROL_COLUMNS, DELIVERY_COLUMNS } from "../../src/service/reencryption/columns";

/**
 * The RSA key of an entry goes with its entry: encrypted anew, one that has leaked would outlive the removal that ends
 * the leak.
 */
const GONE_WITH_ITS_ENTRY = "token_signers.private_sealed";

const ENCRYPTED = /(^|_)(sealed|encrypted)$/;

const encryptedColumns = (schema: object) =>
  Object.values(schema)
    .filter((value) => is(value, Table))
    .flatMap((table) =>
      Object.values(getTableColumns(table))
        .filter(({ name }) => ENCRYPTED.test(name))
        .map(({ name }) => `${getTableName(table)}.${name}`),
    );

describe.each([
  [
    "control",
    { ...control, ...credentials, ...singleUse, ...platform, ...signOn, ...sources, ...imports, ...portal, ...service },
    CONTROL_COLUMNS,
  ],
  ["delivery", { ...delivery, ...types }, DELIVERY_COLUMNS],
] as const)("the %s plane", (_plane, schema, columns) => {
  test("has no encrypted column that a rotation of SECRET_KEYS leaves out", () => {
    const whole = columns.filter(({ member }) => member === undefined);
    const moved = whole.map(({ table, column }) => `${table}.${column}`);
    expect(encryptedColumns(schema).length).toBeGreaterThan(0);
    expect(moved.sort()).toEqual(
      encryptedColumns(schema)
        .filter((column) => column !== GONE_WITH_ITS_ENTRY)
        .sort(),
    );
  });
});
