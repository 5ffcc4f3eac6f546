/** What Cloudflare's deploy button reads: descriptions of settings and bindings, and the secrets to ask for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { SETTING_NAMES } from "../../src/base/config/config";

const ROOT = new URL("../../", import.meta.url).pathname;
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

/** The parts of wrangler's configuration that this test reads. */
interface Bindings {
  vars: Record<string, string>;
  d1_databases: { binding: string }[];
  queues: { producers?: { binding: string }[] };
}

const secrets = [...read(".dev.vars.example").matchAll(/^(# )?([A-Z_]+)=$/gm)].map(([, comment, name = ""]) => ({
  name,
  isAsked: comment === undefined,
}));

test("each secret is named as a setting is, and only the one that the service needs is asked for", () => {
  const { vars } = readConfig({ config: join(ROOT, "wrangler.toml") }) as unknown as Bindings;
  const optional = SETTING_NAMES.filter((name) => !(name in vars) && name !== "SECRET_KEYS");
  expect(secrets.filter(({ isAsked }) => isAsked).map(({ name }) => name)).toEqual(["SECRET_KEYS"]);
  expect(secrets.flatMap(({ name, isAsked }) => (isAsked ? [] : [name])).sort()).toEqual([...optional].sort());
});

test("each description is of a setting, a secret or a binding that exists", () => {
  const { vars, d1_databases, queues } = readConfig({ config: join(ROOT, "wrangler.toml") }) as unknown as Bindings;
  const bindings = [...d1_databases, ...(queues.producers ?? [])].map(({ binding }) => binding);
  const known = new Set([...Object.keys(vars), ...bindings, ...secrets.map(({ name }) => name)]);
  const { cloudflare } = JSON.parse(read("package.json")) as { cloudflare: { bindings: object } };
  expect(Object.keys(cloudflare.bindings).filter((name) => !known.has(name))).toEqual([]);
  const described = Object.keys(cloudflare.bindings);
  expect(["SECRET_KEYS", ...bindings].filter((name) => !described.includes(name))).toEqual([]);
});
