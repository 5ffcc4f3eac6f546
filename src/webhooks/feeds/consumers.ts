/** What consumers of feeds do besides reading. */
import type { Deps } from "../../base/deps";
import { notFound, orNotFound } from "../../base/errors";
import type { Actor } from "../../base/schemas/actor";
import { positionAt } from "../events/entries-store";
import { acknowledge, type ConsumerRow, deleteConsumer, listConsumers, moveConsumer } from "./consumers-store";
import { positionOf } from "./cursor";
import type { FeedRef } from "./page-store";
import type { SeekTarget } from "./schemas";

/** The consumers of a feed, by name. Throws NOT_FOUND. */
export async function consumersOf(deps: Deps, feed: FeedRef): Promise<ConsumerRow[]> {
  return orNotFound(await listConsumers(deps, feed), "Feed");
}

/** Notes that a consumer has handled everything up to a cursor. Throws NOT_FOUND and VALIDATION_FAILED. */
export async function ackConsumer(deps: Deps, feed: FeedRef, name: string, cursor: string): Promise<ConsumerRow> {
  const position = positionOf(feed.feedId, cursor);
  return orNotFound(await acknowledge(deps, feed, { name, position, nowMs: deps.now() }), "Consumer");
}

/** Lets a consumer go on elsewhere. Throws NOT_FOUND and VALIDATION_FAILED. */
export async function seekConsumer(
  deps: Deps,
  feed: FeedRef,
  name: string,
  target: SeekTarget,
  actor: Actor,
): Promise<ConsumerRow> {
  const to =
    "cursor" in target
      ? positionOf(feed.feedId, target.cursor)
      : "to" in target
        ? target.to
        : Math.max(0, positionAt(target.since) - 1);
  return orNotFound(await moveConsumer(deps, feed, { name, to, actor, nowMs: deps.now() }), "Consumer");
}

/** Forgets a consumer. Throws NOT_FOUND. */
export async function forgetConsumer(deps: Deps, feed: FeedRef, name: string): Promise<void> {
  if (!(await deleteConsumer(deps, feed, name))) throw notFound("Consumer");
}
