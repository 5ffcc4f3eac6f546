/** The README is short, and says what is true. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { orderPaid } from "../../src/docs/pages/readme/publish";
import { receive } from "../../src/docs/pages/receive/d1";
import { d1Store } from "../../src/sdk/receive";
import { examples, markdown, pictures, readme, samples, sources, wrangler } from "../support/docs";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newInbox } from "../support/receiver";
import { serviceFetch } from "../support/sdk";

/** What a newcomer reads on one screen or two. */
const MAX_BYTES = 8192;

test("the README and the pages name no file that does not exist", () => {
  const paths = [sources, markdown, pictures, samples].flatMap(Object.keys);
  const named = [readme, wrangler, ...Object.values(markdown)].flatMap(
    (text) => text.match(/\bsrc\/[\w./-]+\w/g) ?? [],
  );
  const exists = (path: string) =>
    paths.some((known) => known === `../../${path}` || known.startsWith(`../../${path}/`));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

describe("the README", () => {
  test(`has at most ${MAX_BYTES} bytes`, () => {
    expect(new TextEncoder().encode(readme).byteLength).toBeLessThanOrEqual(MAX_BYTES);
  });

  test("names, on the path of an event, only files that exist", () => {
    const path = readme.match(/\*\*The path of an event\*\*.*/)?.[0] ?? "";
    const files = [...path.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = ""]) => file);
    const places = files.map((file) => (file.startsWith("src/") ? file : `src/webhooks/${file}`));
    expect(places.length).toBeGreaterThan(7);
    // The claim is said to be beside the delivery.
    const missing = places.filter((place) => !(`../../${place}` in sources));
    expect(missing).toEqual(["src/webhooks/claim-store.ts"]);
    expect(sources).toHaveProperty(["../../src/webhooks/delivery/claim-store.ts"]);
  });

  test("and the page about receiving show their examples unchanged", () => {
    const { "../../src/docs/pages/receive.md": page } = markdown;
    expect(Object.keys(examples)).toHaveLength(2);
    for (const [path, example] of Object.entries(examples)) {
      expect(path.includes("/readme/") ? readme : page).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
    }
  });

  test("has an example that works: the one about receiving acts once on what it publishes", async () => {
    const { key } = await newPlatformKey();
    const customer = crypto.randomUUID();
    await callAs(key, "", "POST", "/platform/tenants", { name: `Customer ${customer}`, externalId: customer });
    const inbox = newInbox("200");
    const subscription = { name: "shop", url: inbox.url, events: ["OrderPaid"], secret: "a-signing-secret" };
    expect((await callAs(key, `ext:${customer}`, "POST", "/webhooks", subscription)).status).toBe(201);
    vi.stubGlobal("fetch", serviceFetch);
    try {
      const first = await orderPaid(key, customer, { id: 42 });
      expect(await orderPaid(key, customer, { id: 42 })).toEqual(first);
    } finally {
      vi.unstubAllGlobals();
    }
    const [received] = await inbox.arrived(1);
    if (!received) throw new Error("nothing arrived");
    const request = () => new Request("http://subscriber.example/", received);
    const db = env.RECEIVER_DB;
    await db.batch(
      ["CREATE TABLE orders (id INTEGER, paid INTEGER)", "INSERT INTO orders VALUES (41, 0), (42, 0)"].map((sql) =>
        db.prepare(sql),
      ),
    );
    await d1Store(db).migrate();
    const answerTo = async (secret: string) => (await receive(request(), secret, db)).text();
    expect([
      await answerTo("another secret"),
      await answerTo("a-signing-secret"),
      await answerTo("a-signing-secret"),
    ]).toEqual(["SIGNATURE_MISMATCH", "handled", "duplicate"]);
    expect((await db.prepare("SELECT id FROM orders WHERE paid").all()).results).toEqual([{ id: 42 }]);
  });
});
