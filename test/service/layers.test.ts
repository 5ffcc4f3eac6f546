/** The layers of the code, and who may import Hono and drizzle. */
import { expect, test } from "vitest";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const { "../../README.md": readme = "" } = import.meta.glob("../../README.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Top to bottom. A file imports, types included, from its own group and from the groups below it. */
const LAYERS: readonly (readonly string[])[] = [
  ["doors"],
  ["console", "docs", "mailer"],
  ["lifecycle", "service"],
  ["oauth"],
  ["directory"],
  ["sign-on"],
  ["identity"],
  ["webhooks"],
  ["tenancy"],
  ["base"],
];
/** The npm package stands apart: nothing imports it, and of the service it imports this folder alone. */
const SDK = "sdk";
const SHARED_WITH_SDK = /^base\/crypto\//;

const files = Object.fromEntries(
  Object.entries(sources)
    .filter(([path]) => !path.endsWith(".d.ts"))
    .map(([path, text]) => [path.replace("../../src/", ""), text]),
);

/** The first folder of a path below src; "doors" for a file at its root. */
const groupOf = (path: string) => (path.includes("/") ? (path.split("/")[0] ?? "") : "doors");

const layerOf = (group: string) => LAYERS.findIndex((groups) => groups.includes(group));

/** Each file with the files that it imports, types included. */
function importsOf(files: Record<string, string>): Map<string, string[]> {
  const resolve = (path: string) =>
    ["", ".ts", ".tsx", "/index.ts"].map((end) => path + end).find((one) => one in files);
  return new Map(
    Object.entries(files).map(([path, text]) => {
      const imported = text.matchAll(/^(?:import|export)\s[^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gms);
      const targets = [...imported].map(([, from, dynamic]) =>
        new URL(from ?? dynamic ?? "", `file:///${path}`).pathname.slice(1),
      );
      return [path, targets.flatMap((target) => resolve(target) ?? [])];
    }),
  );
}

function isAllowed(from: string, to: string): boolean {
  const [above, below] = [groupOf(from), groupOf(to)];
  if (above === below) return true;
  if (above === SDK) return SHARED_WITH_SDK.test(to);
  return below !== SDK && layerOf(above) < layerOf(below);
}

const violations = (files: Record<string, string>): string[] =>
  [...importsOf(files)].flatMap(([from, imported]) =>
    imported.filter((to) => !isAllowed(from, to)).map((to) => `${from} imports ${to}`),
  );

/** The nodes that can reach themselves. */
function inCycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const reaches = (start: string) => {
    const seen = new Set<string>();
    const next = [...(imports.get(start) ?? [])];
    for (let path = next.pop(); path !== undefined; path = next.pop()) {
      if (path === start) return true;
      if (!seen.has(path)) next.push(...(imports.get(path) ?? []));
      seen.add(path);
    }
    return false;
  };
  return [...imports.keys()].filter(reaches);
}

/** The room of a file: its folder below the group, or the file itself if it is in no folder of the group. */
const roomOf = (path: string) => path.split("/").slice(0, 2).join("/");

/** Each room with the rooms of its own group that it imports, types included. */
function importsOfRooms(files: Record<string, string>): Map<string, string[]> {
  const rooms = new Map<string, string[]>();
  for (const [from, imported] of importsOf(files)) {
    if (groupOf(from) === "doors") continue;
    const others = imported.filter((to) => groupOf(to) === groupOf(from)).map(roomOf);
    rooms.set(roomOf(from), [...(rooms.get(roomOf(from)) ?? []), ...others.filter((to) => to !== roomOf(from))]);
  }
  return rooms;
}

/** Rooms that are still in a circle, with the reason. The list may only shrink. */
const CIRCLES: Readonly<Record<string, string>> = {};

test("every folder of src is a group of the rule", () => {
  expect([...new Set(Object.keys(files).map(groupOf))].sort()).toEqual([...LAYERS.flat(), SDK].sort());
});

test("test/ has the same groups, besides the tests of the pages in a browser", () => {
  const tests = Object.keys(import.meta.glob("/test/**/*.test.ts"));
  const groups = new Set(tests.map((path) => path.split("/")[2] ?? ""));
  const others = ["browser"];
  expect([...groups].filter((group) => !others.includes(group) && layerOf(group) < 0 && group !== SDK)).toEqual([]);
});

test("the README draws the same layers, and the package apart from them", () => {
  const [, picture = ""] = readme.match(/```\n(doors[\s\S]*?)```/) ?? [];
  const [layers = "", apart = ""] = picture.split("\n\n");
  const groupsIn = (lines: string) => [...lines.matchAll(/^([\w-]+) /gm)].map(([, group]) => group);
  expect(layers.split("↓").map(groupsIn)).toEqual(LAYERS);
  expect(groupsIn(apart)).toEqual([SDK]);
});

test("no import, of a type or a value, leads upward", () => {
  expect(violations(files)).toEqual([]);
});

test("no files import each other in a circle", () => {
  expect(inCycles(importsOf(files))).toEqual([]);
});

test("no folders of a group import each other in a circle", () => {
  expect(importsOfRooms(files).size).toBeGreaterThan(100);
  expect(inCycles(importsOfRooms(files))).toEqual(Object.keys(CIRCLES));
});

test("planted upward imports and circles are found, those of types too", () => {
  const planted = {
    "base/crypto/planted.ts": 'import type { Login } from "../../identity/sign-in/login";',
    "identity/sign-in/login.ts": 'import {\n  type A,\n  b,\n} from "../sessions/store";',
    "identity/sessions/store.ts": 'export type { Login } from "../sign-in/login";',
    "console/page.tsx": 'import { createClient } from "../sdk/client";',
    "sdk/client/index.ts": 'import { log } from "../../base/log/log";',
    "base/log/log.ts": "",
  };
  expect(violations(planted)).toEqual([
    "base/crypto/planted.ts imports identity/sign-in/login.ts",
    "console/page.tsx imports sdk/client/index.ts",
    "sdk/client/index.ts imports base/log/log.ts",
  ]);
  expect(inCycles(importsOf(planted))).toEqual(["identity/sign-in/login.ts", "identity/sessions/store.ts"]);
  expect(inCycles(importsOfRooms(planted))).toEqual(["identity/sign-in", "identity/sessions"]);
});

test("only api.ts and routes.ts, the console, the docs and the application import base/http", () => {
  const allowed = /^(base\/http\/.+|console\/.+|docs\/.+|app\.ts|authenticate\.ts|.+\/(api|routes)\.ts)$/;
  const importers = [...importsOf(files)].filter(([, imported]) =>
    imported.some((path) => path.startsWith("base/http/")),
  );
  expect(importers.map(([path]) => path).filter((path) => !allowed.test(path))).toEqual([]);
});

/** What describes a route apart from an operation, and why. The list may only shrink. */
const OWN_ROUTES: Readonly<Record<string, string>> = {
  "base/http/endpoint.ts": "describes the routes of all operations",
  "base/http/route-docs.ts": "has the function",
  "docs/routes.ts": "files, which are the same for everybody",
  "identity/tokens/routes.ts": "public keys and lists, which caches keep",
  "service/health/routes.ts": "for monitoring, which has no account",
  "service/imports/api.ts": "a body of NDJSON, which no schema reads",
  "service/metrics/routes.ts": "for Prometheus, which has a token of its own",
  "sign-on/flow/routes.ts": "public keys, which caches keep",
  "sign-on/logout/routes.ts": "calls of identity providers, which send a form and read errors of OAuth",
  "sign-on/service-provider/routes.ts": "metadata, which caches keep",
  "webhooks/events/api.ts": "payloads, which are taken byte for byte",
  "webhooks/listen/socket/routes.ts": "a socket, whose ticket is the credential",
  "webhooks/signing/routes.ts": "public keys, which caches keep",
  "webhooks/sources/inbound/routes.ts": "calls of providers, whose signature is the credential",
};

test("an operation and its route are one declaration in api.ts", () => {
  expect(Object.keys(files).filter((path) => path.endsWith("/operations.ts"))).toEqual([]);
  const describing = Object.keys(files).filter((path) => files[path]?.includes("describeRoute("));
  expect(describing.sort()).toEqual(Object.keys(OWN_ROUTES));
});

const importing = (library: RegExp) =>
  Object.entries(sources)
    .filter(([, text]) => library.test(text))
    .map(([path]) => path.replace("../../src/", ""));

test("the sources are there to be read", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(40);
});

test("only app.ts, authenticate.ts, base/http/*, console/http/*, docs/*, api.ts and routes.ts(x) import Hono", () => {
  const allowed = /^(app\.ts|authenticate\.ts|base\/http\/.+|console\/http\/.+|docs\/.+|.+\/(api\.ts|routes\.tsx?))$/;
  expect(importing(/from "(hono(?!\/jsx")|@hono\/)/).filter((path) => !allowed.test(path))).toEqual([]);
});

test("pages import of Hono no more than the types of JSX", () => {
  const pages = importing(/from "hono\/jsx"/).filter(
    (path) => !/^console\/(http\/|components\/shown-failure)/.test(path),
  );
  expect(pages.filter((path) => !/^console\/.+\.tsx$/.test(path))).toEqual([]);
  // The contexts: the error of a form for its fields, and where the pages are mounted.
  const contexts = ["console/components/mount.tsx", "console/components/shown-failure.ts"];
  expect(importing(/import (?!type )[^;]*from "hono\/jsx"/)).toEqual(contexts);
});

test("the paths of the console and of portals stand once: pages are told where they are mounted", () => {
  const pages = Object.entries(files).filter(([path]) => path.startsWith("console/"));
  const code = pages.map(([path, text]) => [path, text.replaceAll(/\/\*[\s\S]*?\*\//g, "")] as const);
  expect(code.filter(([, text]) => /["`]\/(console|portal)(?![\w-])/.test(text)).map(([path]) => path)).toEqual([]);
});

test("only base/db/*, base/tables/*, deps.ts, store.ts and *-store.ts import drizzle and write SQL", () => {
  const allowed = /^(base\/deps\.ts|base\/(db|tables)\/.+|.+\/(.+-)?store\.ts)$/;
  expect(importing(/from "drizzle-orm/).filter((path) => !allowed.test(path))).toEqual([]);
  const runsSql = /import \{[^}]*\b(query|queryFirst)\b[^}]*\} from "[^"]*\/db\/client"/;
  expect(importing(runsSql).length).toBeGreaterThan(20);
  expect(importing(runsSql).filter((path) => !allowed.test(path))).toEqual([]);
});

test("schemas and delivery options import only each other, and names and constants", () => {
  const pure = new RegExp(
    "(/(schemas|publication|errors|time|roles|locales|platform-scopes|event-type|tenants/name|option)" +
      "|/signature-profile|/(client|connection)-settings" +
      "|/redirect-urls|/identifier|/key-set|/filters/filter|/exact-json" +
      "|/base/json|/uuid|-options?|-schemas|actions)$",
  );
  const files = Object.entries(sources).filter(([path]) =>
    /(\/schemas|\/publication|\/event-type|\/options\/(.+-)?options?)\.ts$/.test(path),
  );
  expect(files.map(([path]) => path)).toContain("../../src/webhooks/options/delivery-options.ts");
  for (const [path, text] of files) {
    const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, from = ""]) => from);
    expect([path, imported.filter((from) => from !== "zod" && !pure.test(from))]).toEqual([path, []]);
  }
});
