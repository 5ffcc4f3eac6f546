import { expect, test } from "vitest";
import { findDatabases } from "../../src/base/db/shards";

test("DB alone is database 0, and SHARD_n is n if n is a number from 1 to 999 without leading zeros", () => {
  const bindings = {
    SHARD_10: "ten",
    SHARD_0: "no",
    SHARD_00: "no",
    SHARD_02: "no",
    SHARD_1000: "no",
    DB: "db",
    SHARD_2: "two",
  };
  expect([...findDatabases(bindings)]).toEqual([
    [0, "db"],
    [2, "two"],
    [10, "ten"],
  ]);
});
