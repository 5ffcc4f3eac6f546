/** Feeds and their consumers, as the API returns them. */
import { iso } from "../../base/time";
import type { ConsumerRow } from "./consumers-store";
import { makeCursor } from "./cursor";
import type { Feed, FeedConsumer } from "./schemas";
import type { FeedRow } from "./store";

export const feedView = ({ createdAt, updatedAt, ...row }: FeedRow, tokenPrefix = ""): Feed => ({
  ...row,
  tokenPrefix,
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});

export const consumerView = (feedId: string, { position, updatedAt, ...row }: ConsumerRow): FeedConsumer => ({
  ...row,
  cursor: makeCursor(feedId, position),
  updatedAt: iso(updatedAt),
});
