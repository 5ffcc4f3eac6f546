/**
 * postern/verify gives the same verdicts in every runtime: Node, Bun, Deno and Chromium here, Workers in the other
 * suite.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, FLAGS } from "../browser/chromium";

/**
 * The example of the Standard Webhooks specification, verified with each kind of key. Stores the verdicts in
 * `verdicts`.
 */
const PROGRAM = `
import { verifyDelivery } from "postern/verify";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const publicKey = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
const jwk = { kty: "OKP", crv: "Ed25519", x: "1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4" };
const headers = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": "1614265330",
  "webhook-signature":
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= " +
    "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==",
  "x-webhook-event": "test",
};
const body = '{"test": 2432232314}';
const request = () => new Request("https://subscriber.example/", { method: "POST", headers, body });
const verdict = (delivery, keys) =>
  verifyDelivery(delivery, keys, { nowMs: 1614265330000 }).then(({ payload }) => payload.test, ({ reason }) => reason);

globalThis.verdicts = [
  await verdict(request(), secret),
  await verdict(request(), publicKey),
  await verdict(request(), { jwks: "https://keys.example/", fetch: async () => Response.json({ keys: [jwk] }) }),
  await verdict({ headers, body: "{}" }, [publicKey, secret]),
].join(" ");
console.log(globalThis.verdicts);
`;
const VERDICTS = "2432232314 2432232314 2432232314 SIGNATURE_MISMATCH";

const folder = mkdtempSync(join(tmpdir(), "postern-runtimes-"));
const bundle = join(folder, "program.mjs");
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const source = join(folder, "source.mjs");
  writeFileSync(source, PROGRAM);
  const alias = { "postern/verify": join(process.cwd(), "src/sdk/verify/index.ts") };
  await build({ input: source, resolve: { alias }, output: { file: bundle, format: "es" } });
});

describe.each(["node", "bun", "deno"])("in %s", (program) => {
  const isPresent = spawnSync(program, ["--version"]).status === 0;
  test.skipIf(!isPresent)(
    `(needs ${program}) deliveries are verified with a secret, a public key and a key set`,
    () => {
      const { stdout, stderr } = spawnSync(program, [bundle], { encoding: "utf8" });
      expect(stderr).toBe("");
      expect(stdout).toBe(`${VERDICTS}\n`);
    },
  );
});

test.skipIf(!existsSync(CHROMIUM))("(needs Chromium) deliveries are verified in a browser", async () => {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage();
    // WebCrypto exists in secure contexts only; https: is one.
    await page.route("https://page.example/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<script type="module">${readFileSync(bundle, "utf8")}</script>`,
      }),
    );
    await page.goto("https://page.example/");
    await page.waitForFunction(() => "verdicts" in globalThis);
    expect(await page.evaluate("verdicts")).toBe(VERDICTS);
  } finally {
    await browser.close();
  }
});
