/** Every encrypted column is moved to the newest entry of SECRET_KEYS, so that the old entry can go. */
import { getTableColumns, getTableName, is, Table } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { CONTROL_COLUMNS, DELIVERY_COLUMNS } from "../../src/operations/reencryption/columns";
import * as delivery from "../../src/platform/db/delivery-schema";
import * as types from "../../src/platform/db/event-types-schema";
import * as imports from "../../src/platform/db/imports-schema";
import * as platform from "../../src/platform/db/platform-schema";
import * as portal from "../../src/platform/db/portal-schema";
import * as control from "../../src/platform/db/schema";
import * as sources from "../../src/platform/db/sources-schema";

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
  ["control", { ...control, ...platform, ...sources, ...imports, ...portal }, CONTROL_COLUMNS],
  ["delivery", { ...delivery, ...types }, DELIVERY_COLUMNS],
] as const)("the %s plane", (_plane, schema, columns) => {
  test("has no encrypted column that a rotation of SECRET_KEYS leaves out", () => {
    const whole = columns.filter(({ member }) => member === undefined);
    const moved = whole.map(({ table, column }) => `${table}.${column}`);
    expect(encryptedColumns(schema).length).toBeGreaterThan(0);
    expect(moved.sort()).toEqual(encryptedColumns(schema).sort());
  });
});
