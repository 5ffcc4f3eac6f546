/** The layers of the house: who may import Hono and who may import drizzle. */
import { expect, test } from "vitest";

const sources = import.meta.glob("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

const importing = (library: RegExp) =>
  Object.entries(sources)
    .filter(([, text]) => library.test(text))
    .map(([path]) => path.replace("../src/", ""));

test("the sources are there to be read", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(40);
});

test("only app.ts, http/* and routes.ts(x) import Hono", () => {
  const allowed = /^(app\.ts|http\/.+|.+\/routes\.tsx?)$/;
  expect(importing(/from "(hono(?!\/jsx")|@hono\/)/).filter((path) => !allowed.test(path))).toEqual([]);
});

test("pages import of Hono no more than the types of JSX", () => {
  const pages = importing(/from "hono\/jsx"/).filter((path) => !path.startsWith("http/"));
  expect(pages.filter((path) => !/^console\/.+\.tsx$/.test(path))).toEqual([]);
  expect(importing(/import (?!type )[^;]*from "hono\/jsx"/)).toEqual([]);
});

test("only db/*, deps.ts and */store.ts import drizzle", () => {
  const allowed = /^(deps\.ts|db\/.+|.+\/store\.ts)$/;
  expect(importing(/from "drizzle-orm/).filter((path) => !allowed.test(path))).toEqual([]);
});

test("schemas are pure zod: clients derive their types from them", () => {
  const pure = /(\/schemas|\/errors|\/tenants\/roles|\/type)$/;
  const files = Object.entries(sources).filter(([path]) => /\/(schemas|publication|type)\.ts$/.test(path));
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
