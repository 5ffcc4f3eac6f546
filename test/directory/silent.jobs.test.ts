/** A directory that calls no more: who hears of it, and how often. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { tellOfDirectories } from "../../src/directory/notices/daily";
import { newInbox, subscribe } from "../support/receiver";
import { newDirectory, scim } from "../support/scim";

const DAY_MS = 86_400_000;

test("a directory that has not called for seven days is told of once, until it has called again", async () => {
  const [silent, other] = [await newDirectory(), await newDirectory()];
  const inbox = newInbox("200");
  for (const { owner } of [silent, other]) {
    await subscribe(owner, inbox.url, { events: ["postern.directory.silent"] });
  }
  const calledBefore = (days: number, { connection }: typeof silent) =>
    env.DB.prepare("UPDATE connections SET directory_requested_at = ? WHERE id = ?")
      .bind(Date.now() - days * DAY_MS, connection.id)
      .run();
  await calledBefore(7.1, silent);
  await calledBefore(6.9, other);
  const deps = await createDeps(env, createExecutionContext());
  const run = async () => {
    for (let cursor: string | null = ""; cursor !== null; ) {
      cursor = await tellOfDirectories(deps, 0, cursor, () => false);
    }
  };
  await run();
  await run();
  const [first] = await inbox.arrived(1);
  expect(JSON.parse(first?.body ?? "")).toMatchObject({ connectionId: silent.connection.id });
  await scim(silent, "GET", "/Users");
  await run();
  await calledBefore(7.1, other);
  await run();
  const told = (await inbox.arrived(2)).map(({ body }) => JSON.parse(body).connectionId);
  expect(told.sort()).toEqual([silent.connection.id, other.connection.id].sort());
});
