/** What an isolate has counted, which test files share. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type Counts, count, forgetCounts, handOverCounts } from "../../src/base/counts";
import { createDeps } from "../../src/base/deps";

test("counts are forgotten with those of a hand-over that is under way, also if it fails", async () => {
  await forgetCounts();
  const handedOver: Counts[] = [];
  const answer = Promise.withResolvers<void>();
  const addCounts = async (counts: Counts) => {
    handedOver.push(counts);
    return answer.promise;
  };
  const sweepers = { idFromName: (name: string) => name, get: () => ({ addCounts }) };
  const works: Promise<unknown>[] = [];
  const background = (_: string, work: Promise<unknown>) => works.push(work.catch(() => undefined));
  const real = await createDeps(env, createExecutionContext());
  const deps = { ...real, sweepers, background } as unknown as typeof real;
  count("mails", "sent");
  handOverCounts(deps);
  count("mails", "failed");
  const forgotten = forgetCounts();
  answer.reject(new Error("unreachable"));
  await forgotten;
  await Promise.all(works);
  handOverCounts(deps);
  expect(handedOver).toEqual([{ "mails.sent": 1 }, {}]);
});
