/** No page of the console is forgotten by the checks in a browser. */
import { expect, test } from "vitest";
import { app } from "../../src/app";
import { AUDITED_PAGES, NO_PAGES } from "../browser/console-pages";

test("each route of the console, of portals, setup links and catalogues is known as a page, or as none", () => {
  const routes = app.routes
    .filter(({ method, path }) => method === "GET" && /^\/(account|console|portal|setup|catalog)(\/|$)/.test(path))
    .map(({ path }) => path);
  const known = [...AUDITED_PAGES.map((page) => page.replace(/\?.*/, "")), ...NO_PAGES];
  // Most pages on which people sign in to apps are those of the console.
  const inConsole = (path: string) =>
    path
      .replace(/^\/account/, "/console")
      .replace("/sign-up", "/register")
      .replace("/second-factor/passkeys/", "/security/passkeys/");
  // The pages of the platform's tenant, of portals and of setup links are those of every tenant.
  const ofEveryTenant = (path: string) =>
    path.replace(
      /^\/(console\/platform|portal|setup)(?=\/(webhooks|event(s|-types)|activity|connections|domains|directories)\b)/,
      "/console",
    );
  // A tenant manages its own apps on the same pages as operators.
  const ofOperators = (path: string) =>
    path.replace(/^\/console\/apps(?=\/(new|registered|apis)(\/|$))/, "/console/operator/apps");
  const isKnown = (path: string) =>
    [path, ofEveryTenant(path), ofOperators(path), inConsole(path)].some((one) => known.includes(one)) ||
    path === "/console/platform";
  expect([...new Set(routes)].filter((path) => !isKnown(path))).toEqual([]);
  expect(known.filter((path) => !routes.includes(path))).toEqual([]);
});
