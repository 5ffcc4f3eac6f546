/** The charts of attempts: their periods, what a bar counts, the axes and the table. */
import { describe, expect, test } from "vitest";
import { barsOf, startOfPeriod } from "../../src/console/components/chart-periods";
import { topOf } from "../../src/console/components/charts";
import { call, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const HOUR_MS = 3_600_000;
const thisHour = () => Date.now() - (Date.now() % HOUR_MS);

/** Counts successes `hoursAgo` hours ago. */
const count = (subscription: string, hoursAgo: number, succeeded: number) =>
  deliveryDb
    .prepare("INSERT INTO hourly_stats (subscription_id, hour, succeeded, failed) VALUES (?, ?, ?, 1)")
    .bind(subscription, thisHour() - hoursAgo * HOUR_MS, succeeded)
    .run();

async function withCounts() {
  const owner = await signUpVerified();
  const id = await subscribe(owner, newInbox("200").url);
  for (const [hoursAgo, succeeded] of [
    [0, 3],
    [5, 10],
    [30, 100],
    [200, 1_000],
    [800, 5_000],
  ] as const)
    await count(id, hoursAgo, succeeded);
  return { browser: await holding(owner), id };
}

const legend = (html: string) => html.match(/Success <strong>([\d,]+)<\/strong>/)?.[1];
const tableRows = (html: string) =>
  html.match(/aria-label="Attempts as a table">.*?<\/table>/s)?.[0].split("<tr>") ?? [];

describe("a chart", () => {
  test.each([
    ["", "13", 24, 2],
    ["?period=7d", "113", 28, 3],
    ["?period=30d", "1,113", 30, 4],
    ["?period=1y", "13", 24, 2],
  ])("of the overview with %j counts %s successes in %i bars", async (query, sum, bars, rows) => {
    const { browser } = await withCounts();
    const { html } = await browser.get(query);
    expect([legend(html), html.split('<rect class="hover"').length - 1]).toEqual([sum, bars]);
    expect(tableRows(html).length - 2).toBeLessThanOrEqual(rows);
    expect(html.split('aria-current="true"').length - 1).toBe(1);
  });

  test("of a subscription keeps the filter of the log when the period changes", async () => {
    const { browser, id } = await withCounts();
    const { html } = await browser.get(`/webhooks/${id}?status=failed&period=7d`);
    expect(legend(html)).toBe("113");
    expect(html).toContain(`href="/console/webhooks/${id}?status=failed&amp;period=30d"`);
    expect(html).toContain("A bar is 6 hours");
  });

  test("keeps its period when the log is filtered and its pages are turned", async () => {
    const owner = await signUpVerified();
    const hook = await subscribe(owner, newInbox("200").url);
    for (const event of [1, 2]) await publish(owner, event);
    await endedAttempts(owner, hook, 2);
    const { nextCursor } = (await call("GET", `/webhooks/${hook}/logs?limit=1`, { token: owner.token })).body;
    const browser = await holding(owner);
    const { html } = await browser.get(`/webhooks/${hook}?period=7d&status=success`);
    expect(html).toContain('<input type="hidden" name="period" value="7d"');
    const second = await browser.get(`/webhooks/${hook}?period=7d&cursor=${encodeURIComponent(nextCursor)}`);
    expect(second.html).toMatch(/href="[^"]+period=7d#log">Newest/);
    const [, live = ""] = html.match(/data-live="([^"]+)"/) ?? [];
    expect(live).toContain("period=7d");
    const part = await browser.get(live.replace("/console", "").replaceAll("&amp;", "&"));
    expect([part.status, part.html.includes("attempts/")]).toEqual([200, true]);
    expect((await browser.get(`/webhooks/${hook}?period=24h`)).html).not.toContain('name="period"');
  });

  test("is not shown for a tenant that has sent nothing in a day, and 30 days are still offered", async () => {
    const browser = await holding(await signUp());
    const { html } = await browser.get("");
    expect(html).toContain("Nothing was sent in the last 24 hours");
    expect(html).toContain('href="/console?period=30d"');
    expect((await browser.get("?period=30d")).html).toContain('class="chart"');
  });
});

test("every hour of a period is in exactly one bar, and the last one has what is in progress", () => {
  const nowMs = Date.UTC(2026, 10, 23, 9, 59, 59);
  for (const period of ["24h", "7d", "30d"] as const) {
    const startMs = startOfPeriod(nowMs, period);
    const hours = (nowMs + 1_000 - startMs) / HOUR_MS;
    const rows = Array.from({ length: hours }, (_, index) => ({
      hour: startMs + index * HOUR_MS,
      succeeded: 1,
      failed: 2,
    }));
    const outside = { hour: startMs - HOUR_MS, succeeded: 1_000, failed: 0 };
    const bars = barsOf([outside, ...rows], { period, nowMs, pending: 4 });
    expect(bars.reduce((sum, { success }) => sum + success, 0)).toBe(hours);
    expect(new Set(bars.map(({ failed }) => failed)).size).toBe(1);
    expect(bars.filter(({ pending }) => pending > 0)).toEqual([bars.at(-1)]);
  }
});

test.each([
  [0, 2],
  [1, 2],
  [3, 4],
  [10, 10],
  [11, 20],
  [121, 200],
  [2_229, 4_000],
  [1_000_001, 2_000_000],
])("the axis of %i attempts ends at %i", (most, top) => {
  expect(topOf(most)).toBe(top);
});
