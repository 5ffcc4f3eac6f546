/** `/feeds`: lists of events that programs pull. */

import type { Context } from "hono";
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { pathParam, saying } from "../../base/http/operation";
import { WITH_KEYS } from "../../base/operation";
import { dataOf, id } from "../../base/schemas/schemas";
import { GET_FEED_TOKEN, MOVE_CONSUMER, READ_FEED, WRITE_FEED } from "../access";
import { changeFeed, createFeed, feedsOf, removeFeed, rotateToken, shownFeed, type Tokened } from "./changes";
import { ackConsumer, consumersOf, forgetConsumer, seekConsumer } from "./consumers";
import { type FeedPage, ownFeed, pollFeed } from "./poll";
import {
  acknowledgement,
  consumerName,
  feed,
  feedChange,
  feedConsumer,
  feedPage,
  feedQuery,
  feedWithToken,
  newFeed,
  seekTarget,
  tokenRotation,
} from "./schemas";
import { tokenPrefixes } from "./tokens-store";
import { consumerView, feedView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;

const CONSUMER_PATH = z.object({ id, name: consumerName.meta({ description: "The name of the consumer." }) });

const tokenView = ({ row, token, tokenPrefix }: Tokened) => ({ ...feedView(row, tokenPrefix), token });

const prefixesOf = (c: Context<AppEnv>) => tokenPrefixes(c.get("deps"), c.get("principal").tenantId);

/** A page as JSON, with each payload byte for byte as it was published. */
function pageText({ data, ...page }: FeedPage): string {
  return `{"data":[${data.join(",")}],${JSON.stringify(page).slice(1)}`;
}

export const feeds = {
  create: endpoint({
    id: "createFeed",
    summary: "Creates a feed: a list of events that programs pull, in the order of their commits.",
    ...GET_FEED_TOKEN,
    permission: "webhook.create",
    schema: newFeed,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(feedWithToken), id: "/data/id" } }),
    verb: ({ deps, principal, input }) => createFeed(deps, principal, input),
    answer: (c, made) => c.json({ data: tokenView(made) }, 201),
  }),
  list: endpoint({
    id: "listFeeds",
    summary: "Lists the tenant's feeds, newest first.",
    callers: WITH_KEYS,
    permission: "webhook.read",
    answers: () => ({ 200: dataOf(z.array(feed)) }),
    verb: ({ deps, principal }) => feedsOf(deps, principal),
    answer: (c, data) => c.json({ data }),
  }),
  get: endpoint({
    id: "getFeed",
    summary: "Returns one feed.",
    callers: WITH_KEYS,
    permission: "webhook.read",
    ...MISSING,
    answers: () => ({ 200: dataOf(feed) }),
    verb: ({ deps, principal, param }) => shownFeed(deps, principal, param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: "updateFeed",
    summary: "Changes the given fields of a feed.",
    description: "Events of new types are in the feed from now on; those of other types are not in it any more.",
    ...WRITE_FEED,
    permission: "webhook.update",
    schema: feedChange,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(feed) }),
    verb: ({ deps, principal, param, input }) => changeFeed(deps, principal, param("id"), input),
    answer: async (c, row) => c.json({ data: feedView(row, (await prefixesOf(c)).get(row.id)) }),
  }),
  rotateToken: endpoint({
    id: "rotateFeedToken",
    summary: "Gives a feed a new token.",
    ...GET_FEED_TOKEN,
    permission: "webhook.update",
    schema: tokenRotation,
    ...MISSING,
    answers: () => ({ 200: dataOf(feedWithToken) }),
    verb: ({ deps, principal, param, input }) => rotateToken(deps, principal, param("id"), input.overlapSeconds),
    answer: (c, made) => c.json({ data: tokenView(made) }),
  }),
  delete: endpoint({
    id: "deleteFeed",
    summary: "Deletes a feed with its consumers. Its token ends.",
    ...WRITE_FEED,
    permission: "webhook.delete",
    ...MISSING,
    verb: ({ deps, principal, param }) => removeFeed(deps, principal, param("id")),
    answer: saying("Feed deleted"),
  }),
  read: endpoint({
    id: "readFeed",
    summary: "Returns the events of a feed after a cursor, in the order of their commits.",
    description:
      "Without a cursor, it begins now: the answer has no events, but a cursor. The feed's token may ask, too.",
    ...READ_FEED,
    schema: feedQuery,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: feedPage }),
    verb: ({ deps, principal, param, input, checkCaller }) => {
      const mayMove = principal.permissions.has("webhook.update");
      return pollFeed(deps, ownFeed(principal, param("id")), { ...input, mayMove, checkCaller });
    },
    answer: (c, page) => c.body(pageText(page), 200, { "Content-Type": "application/json" }),
  }),
  consumers: endpoint({
    id: "listFeedConsumers",
    summary: "Lists the consumers of a feed by name, and how far they have come.",
    callers: WITH_KEYS,
    permission: "webhook.read",
    limit: { rule: "readFeed", per: "feed" },
    ...MISSING,
    answers: () => ({ 200: dataOf(z.array(feedConsumer)) }),
    verb: ({ deps, principal, param }) => consumersOf(deps, ownFeed(principal, param("id"))),
    answer: (c, rows) => c.json({ data: rows.map((row) => consumerView(pathParam(c, "id"), row)) }),
  }),
  ack: endpoint({
    id: "ackFeedConsumer",
    summary: "Notes that a consumer has handled the events up to a cursor.",
    description: "A cursor from before the last one changes nothing. The feed's token may ask, too.",
    ...MOVE_CONSUMER,
    schema: acknowledgement,
    ...MISSING,
    answers: () => ({ 200: dataOf(feedConsumer), path: CONSUMER_PATH }),
    verb: ({ deps, principal, param, input }) =>
      ackConsumer(deps, ownFeed(principal, param("id")), param("name"), input.cursor),
    answer: (c, row) => c.json({ data: consumerView(pathParam(c, "id"), row) }),
  }),
  seek: endpoint({
    id: "seekFeedConsumer",
    summary: "Lets a consumer go on elsewhere in the feed.",
    description: "The feed's token may ask, too.",
    ...MOVE_CONSUMER,
    schema: seekTarget,
    ...MISSING,
    answers: () => ({ 200: dataOf(feedConsumer), path: CONSUMER_PATH }),
    verb: ({ deps, principal, param, input }) =>
      seekConsumer(deps, ownFeed(principal, param("id")), param("name"), input, principal.actor),
    answer: (c, row) => c.json({ data: consumerView(pathParam(c, "id"), row) }),
  }),
  forget: endpoint({
    id: "deleteFeedConsumer",
    summary: "Forgets a consumer of a feed. The feed's token may ask, too.",
    ...MOVE_CONSUMER,
    ...MISSING,
    answers: () => ({ path: CONSUMER_PATH }),
    verb: ({ deps, principal, param }) => forgetConsumer(deps, ownFeed(principal, param("id")), param("name")),
    answer: saying("Consumer deleted"),
  }),
};

export const feedRoutes = routes({
  "POST /": feeds.create,
  "GET /": feeds.list,
  "GET /:id": feeds.get,
  "PATCH /:id": feeds.change,
  "DELETE /:id": feeds.delete,
  "POST /:id/token": feeds.rotateToken,
  "GET /:id/events": feeds.read,
  "GET /:id/consumers": feeds.consumers,
  "POST /:id/consumers/:name/ack": feeds.ack,
  "POST /:id/consumers/:name/seek": feeds.seek,
  "DELETE /:id/consumers/:name": feeds.forget,
});
