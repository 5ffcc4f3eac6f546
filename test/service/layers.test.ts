/** The layers of the code, and who may import Hono and drizzle. */
import { expect, test } from "vitest";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const { "../../README.md": readme = "" } = import.meta.glob("../../README.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Top to bottom; the README explains each entry. A file imports values from its own entry or from lower layers only. */
const LAYERS: readonly (readonly string[])[] = [
  ["index.ts"],
  ["app.ts", "queue.ts", "cron.ts"],
  ["console", "reference", "authenticate.ts", "health", "oauth", "sweeper.ts"],
  [
    "auth",
    "passkeys",
    "identities",
    "deletion",
    "exports",
    "mailer",
    "rekey",
    "episodes",
    "redelivery",
    "replays",
    "rotation",
    "operator",
  ],
  ["recovery", "invitations", "members", "alarms", "api-keys", "attempts", "events"],
  ["sessions", "step-up", "oidc", "delivery", "metrics", "verify", "client"],
  ["subscriptions", "two-factor", "mail-code", "webauthn"],
  ["stats", "signing-keys", "mail", "passwords", "captcha", "tenants", "audit"],
  ["http"],
  ["deps.ts"],
  ["config.ts"],
  ["ratelimit", "gates", "db"],
  ["crypto", "wire", "log.ts", "provider-settings.ts"],
  ["errors.ts", "log-fields.ts", "time.ts", "docs"],
];

/** The folder, or the file at the root of src, that a path belongs to. */
const entryOf = (path: string) => path.split("/")[0] ?? "";

const floorOf = (entry: string) => LAYERS.findIndex((floor) => floor.includes(entry));

/** The entries that a source imports values from; types do not count, for they leave nothing behind. */
function importedEntries(path: string, text: string): string[] {
  const imports = text.matchAll(/^(?:import|export) (?!type )([^;]*?)from "(\.[^"]+)"/gms);
  return [...imports]
    .filter(([, names = ""]) => !/^\{(\s*type [^,}]+,?)*\s*\}\s*$/.test(names))
    .map(([, , from = ""]) => entryOf(new URL(from, `file:///${path}`).pathname.slice(1)))
    .map((entry) => (floorOf(entry) < 0 ? `${entry}.ts` : entry))
    .filter((entry) => entry !== entryOf(path));
}

/** What is wrong with the value imports of `files`, by path below src. */
function violations(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    importedEntries(path, text)
      .filter((entry) => floorOf(entry) <= floorOf(entryOf(path)))
      .map((entry) => `${path} imports ${entry}`),
  );
}

const files = Object.fromEntries(Object.entries(sources).map(([path, text]) => [path.replace("../../src/", ""), text]));

test("every folder and every file at the root of src stands on one floor", () => {
  const entries = new Set(
    Object.keys(files)
      .filter((path) => path !== "worker-env.d.ts")
      .map(entryOf),
  );
  const listed = LAYERS.flat();
  expect([...entries].filter((entry) => !listed.includes(entry))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test("the README lists the same layers, from the top down", () => {
  const lines = readme.matchAll(/^ ?(\d+) {2}((?:[\w.-]+\/?, )*[\w.-]+\/?) {2,}\S/gm);
  const listed = [...lines].flatMap(([, floor, entries = ""]) =>
    entries.split(", ").map((entry) => [Number(floor), entry.replace("/", "")]),
  );
  const layers = LAYERS.flatMap((entries, index) => entries.map((entry) => [LAYERS.length - index, entry]));
  const inOrder = (list: typeof listed) => list.toSorted(([a = ""], [b = ""]) => Number(b) - Number(a));
  expect(listed).toEqual(inOrder(listed));
  expect(listed.map(String).sort()).toEqual(layers.map(String).sort());
});

test("no value import leads to the same floor or upward", () => {
  expect(violations(files)).toEqual([]);
});

test("a planted upward import is found, and a type import is not", () => {
  const planted = {
    "crypto/planted.ts": 'import { login } from "../auth/login";',
    "http/planted.ts": 'import {\n  type A,\n  b,\n} from "../sessions/store";',
    "db/types.ts": 'import type { Deps } from "../deps";\nimport { type Role } from "../tenants/roles";',
  };
  expect(violations(planted)).toEqual(["crypto/planted.ts imports auth", "http/planted.ts imports sessions"]);
});

test("only routes, the console, the reference and the application import http/", () => {
  const allowed = /^(http\/.+|console\/.+|reference\/.+|app\.ts|authenticate\.ts|.+\/routes\.ts)$/;
  const importers = Object.entries(files).filter(([path, text]) => importedEntries(path, text).includes("http"));
  expect(importers.map(([path]) => path).filter((path) => !allowed.test(path))).toEqual([]);
});

const importing = (library: RegExp) =>
  Object.entries(sources)
    .filter(([, text]) => library.test(text))
    .map(([path]) => path.replace("../../src/", ""));

test("the sources are there to be read", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(40);
});

test("only app.ts, authenticate.ts, http/*, console/http/*, reference/* and routes.ts(x) import Hono", () => {
  const allowed =
    /^(app\.ts|authenticate\.ts|http\/.+|console\/http\/.+|reference\/.+|wire\/wire\.ts|.+\/routes\.tsx?)$/;
  expect(importing(/from "(hono(?!\/jsx")|@hono\/)/).filter((path) => !allowed.test(path))).toEqual([]);
});

test("pages import of Hono no more than the types of JSX", () => {
  const pages = importing(/from "hono\/jsx"/).filter((path) => !path.startsWith("console/http/"));
  expect(pages.filter((path) => !/^console\/.+\.tsx$/.test(path))).toEqual([]);
  expect(importing(/import (?!type )[^;]*from "hono\/jsx"/)).toEqual([]);
});

test("only db/*, deps.ts, store.ts and *-store.ts import drizzle", () => {
  const allowed = /^(deps\.ts|db\/.+|.+\/(.+-)?store\.ts)$/;
  expect(importing(/from "drizzle-orm/).filter((path) => !allowed.test(path))).toEqual([]);
});

test("schemas are pure zod: clients derive their types from them", () => {
  const pure = /(\/schemas|-options|\/errors|\/time|\/roles|\/event-type|\/actions)$/;
  const files = Object.entries(sources).filter(([path]) =>
    /(\/schemas|\/publication|\/event-type|^\.\.\/src\/subscriptions\/.+-options)\.ts$/.test(path),
  );
  expect(files.length).toBeGreaterThan(8);
  for (const [path, text] of files) {
    const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, from = ""]) => from);
    expect([path, imported.filter((from) => from !== "zod" && !pure.test(from))]).toEqual([path, []]);
  }
});

test("no file is longer than 300 lines", () => {
  const long = Object.entries(sources).filter(
    ([path, text]) => text.split("\n").length > 301 && !path.endsWith("worker-env.d.ts"),
  );
  expect(long.map(([path]) => path)).toEqual([]);
});
