/** `/feeds`: lists of events that programs pull. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf, id } from "../../base/schemas/schemas";
import type { Tokened } from "./changes";
import { feeds } from "./operations";
import type { FeedPage } from "./poll";
import { consumerName, feed, feedConsumer, feedPage, feedWithToken } from "./schemas";
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

export const feedRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute(
      "createFeed",
      "Creates a feed: a list of events that programs pull, in the order of their commits.",
      () => ({
        201: { body: dataOf(feedWithToken), id: "/data/id" },
        errors: ["CONFLICT"],
      }),
    ),
    ...serve(feeds.create, (c, made) => c.json({ data: tokenView(made) }, 201)),
  )
  .get(
    "/",
    describeRoute("listFeeds", "Lists the tenant's feeds, newest first.", () => ({ 200: dataOf(z.array(feed)) })),
    ...serve(feeds.list, (c, data) => c.json({ data })),
  )
  .get(
    "/:id",
    describeRoute("getFeed", "Returns one feed.", () => ({ 200: dataOf(feed), ...MISSING })),
    ...serve(feeds.get, (c, data) => c.json({ data })),
  )
  .patch(
    "/:id",
    describeRoute("updateFeed", "Changes the given fields of a feed.", () => ({
      200: dataOf(feed),
      errors: ["NOT_FOUND", "CONFLICT"],
      description: "Events of new types are in the feed from now on; those of other types are not in it any more.",
    })),
    ...serve(feeds.change, async (c, row) => c.json({ data: feedView(row, (await prefixesOf(c)).get(row.id)) })),
  )
  .delete(
    "/:id",
    describeRoute("deleteFeed", "Deletes a feed with its consumers. Its token ends.", () => MISSING),
    ...serve(feeds.delete, saying("Feed deleted")),
  )
  .post(
    "/:id/token",
    describeRoute("rotateFeedToken", "Gives a feed a new token.", () => ({ 201: dataOf(feedWithToken), ...MISSING })),
    ...serve(feeds.rotateToken, (c, made) => c.json({ data: tokenView(made) }, 201)),
  )
  .get(
    "/:id/events",
    describeRoute("readFeed", "Returns the events of a feed after a cursor, in the order of their commits.", () => ({
      200: feedPage,
      errors: ["NOT_FOUND", "CONFLICT"],
      description:
        "Without a cursor, it begins now: the answer has no events, but a cursor. The feed's token may ask, too.",
    })),
    ...serve(feeds.read, (c, page) => c.body(pageText(page), 200, { "Content-Type": "application/json" }), "query"),
  )
  .get(
    "/:id/consumers",
    describeRoute("listFeedConsumers", "Lists the consumers of a feed by name, and how far they have come.", () => ({
      200: dataOf(z.array(feedConsumer)),
      ...MISSING,
    })),
    ...serve(feeds.consumers, (c, rows) =>
      c.json({ data: rows.map((row) => consumerView(c.req.param("id") ?? "", row)) }),
    ),
  )
  .post(
    "/:id/consumers/:name/ack",
    describeRoute("ackFeedConsumer", "Notes that a consumer has handled the events up to a cursor.", () => ({
      200: dataOf(feedConsumer),
      path: CONSUMER_PATH,
      ...MISSING,
      description: "A cursor from before the last one changes nothing. The feed's token may ask, too.",
    })),
    ...serve(feeds.ack, (c, row) => c.json({ data: consumerView(c.req.param("id") ?? "", row) })),
  )
  .post(
    "/:id/consumers/:name/seek",
    describeRoute("seekFeedConsumer", "Lets a consumer go on elsewhere in the feed.", () => ({
      200: dataOf(feedConsumer),
      path: CONSUMER_PATH,
      ...MISSING,
      description: "The feed's token may ask, too.",
    })),
    ...serve(feeds.seek, (c, row) => c.json({ data: consumerView(c.req.param("id") ?? "", row) })),
  )
  .delete(
    "/:id/consumers/:name",
    describeRoute("deleteFeedConsumer", "Forgets a consumer of a feed. The feed's token may ask, too.", () => ({
      path: CONSUMER_PATH,
      ...MISSING,
    })),
    ...serve(feeds.forget, saying("Consumer deleted")),
  );
