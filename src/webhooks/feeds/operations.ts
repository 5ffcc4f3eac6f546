/** What people and programs do with feeds. */
import { operation, WITH_KEYS } from "../../base/operation";
import { MOVE_CONSUMER, READ_FEED, WRITE_FEED } from "../access";
import { changeFeed, createFeed, feedsOf, removeFeed, rotateToken, shownFeed } from "./changes";
import { ackConsumer, consumersOf, forgetConsumer, seekConsumer } from "./consumers";
import { ownFeed, pollFeed } from "./poll";
import { acknowledgement, feedChange, feedQuery, newFeed, seekTarget, tokenRotation } from "./schemas";

export const feeds = {
  create: operation({
    ...WRITE_FEED,
    permission: "webhook.create",
    schema: newFeed,
    verb: ({ deps, principal, input }) => createFeed(deps, principal, input),
  }),
  list: operation({
    callers: WITH_KEYS,
    permission: "webhook.read",
    verb: ({ deps, principal }) => feedsOf(deps, principal),
  }),
  get: operation({
    callers: WITH_KEYS,
    permission: "webhook.read",
    verb: ({ deps, principal, param }) => shownFeed(deps, principal, param("id")),
  }),
  change: operation({
    ...WRITE_FEED,
    permission: "webhook.update",
    schema: feedChange,
    verb: ({ deps, principal, param, input }) => changeFeed(deps, principal, param("id"), input),
  }),
  rotateToken: operation({
    ...WRITE_FEED,
    permission: "webhook.update",
    schema: tokenRotation,
    verb: ({ deps, principal, param, input }) => rotateToken(deps, principal, param("id"), input.overlapSeconds),
  }),
  delete: operation({
    ...WRITE_FEED,
    permission: "webhook.delete",
    verb: ({ deps, principal, param }) => removeFeed(deps, principal, param("id")),
  }),
  read: operation({
    ...READ_FEED,
    schema: feedQuery,
    verb: ({ deps, principal, param, input }) => pollFeed(deps, ownFeed(principal, param("id")), input),
  }),
  consumers: operation({
    callers: WITH_KEYS,
    permission: "webhook.read",
    limit: { rule: "readFeed", per: "feed" },
    verb: ({ deps, principal, param }) => consumersOf(deps, ownFeed(principal, param("id"))),
  }),
  ack: operation({
    ...MOVE_CONSUMER,
    schema: acknowledgement,
    verb: ({ deps, principal, param, input }) =>
      ackConsumer(deps, ownFeed(principal, param("id")), param("name"), input.cursor),
  }),
  seek: operation({
    ...MOVE_CONSUMER,
    schema: seekTarget,
    verb: ({ deps, principal, param, input }) =>
      seekConsumer(deps, ownFeed(principal, param("id")), param("name"), input, principal.actor),
  }),
  forget: operation({
    ...MOVE_CONSUMER,
    verb: ({ deps, principal, param }) => forgetConsumer(deps, ownFeed(principal, param("id")), param("name")),
  }),
};
