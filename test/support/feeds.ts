/** Feeds, and what readers get from them. */
import { expect } from "vitest";
import { call, type Person } from "./client";

export interface Feed {
  id: string;
  token: string;
}

export const createFeed = async ({ token }: Person, events: string[] = ["*"]): Promise<Feed> => {
  const { status, body } = await call("POST", "/feeds", { token, body: { name: "n", events } });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.data;
};

export const poll = async (feed: Feed, query = "", token = feed.token) =>
  (await call("GET", `/feeds/${feed.id}/events${query}`, { token })).body;

export const payloads = (page: { data: { payload: unknown }[] }) => page.data.map(({ payload }) => payload);
export const oldest = async (feed: Feed) => payloads(await poll(feed, "?from=oldest"));
export const post = (person: { token: string }, path: string, body: object) =>
  call("POST", path, { token: person.token, body });

/** Deletes all feeds of a person's tenant. Returns a new one, of all types. */
export async function onlyFeed(person: Person): Promise<Feed> {
  for (const { id } of (await call("GET", "/feeds", { token: person.token })).body.data) {
    await call("DELETE", `/feeds/${id}`, { token: person.token });
  }
  return createFeed(person);
}
