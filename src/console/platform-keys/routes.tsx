/** `/console/operator/keys`: the credentials of the product itself. */
import type { Context } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires, serve } from "../../base/http/operation";
import { installLine } from "../../base/npm-package";
import { platformKeys } from "../../identity/platform-keys/api";
import { listPlatformKeys } from "../../identity/platform-keys/store";
import { platformKeyView } from "../../identity/platform-keys/view";
import { type ChangeSubject, changePages } from "../changes/routes";
import { expiryOf } from "../components/lifetimes";
import { confirmedOnly } from "../http/confirmed";
import { pathHere } from "../http/mount";
import { page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { KEY_CHANGES } from "./changes";
import { type NewKeyValues, NewPlatformKeyForm, OVERLAPS, RotationForm } from "./forms";
import { HERE, IssuedKey, PlatformKeys } from "./list";

const SECTION = "operator";
const NEW = `${HERE}/new`;

const newKeyPage = (c: Context<AppEnv>, values: NewKeyValues, refused?: Refused) =>
  page(c, { title: "New platform key", section: SECTION, refused }, <NewPlatformKeyForm values={values} />);

/** The form with what was typed, for after the session is confirmed. */
const filledIn = ({ scopes, ...rest }: NewKeyValues) =>
  `${NEW}?${new URLSearchParams([...Object.entries(rest), ...scopes.map((scope) => ["scopes", scope])])}`;

const typedBefore = (c: Context<AppEnv>): NewKeyValues => ({
  name: c.req.query("name") ?? "",
  scopes: c.req.queries("scopes") ?? [],
  tenants: c.req.query("tenants") ?? "",
  days: c.req.query("days") ?? "",
});

const linesOf = (text: string) => text.split(/[\s,]+/).filter((line) => line !== "");

function issuedPage(c: Context<AppEnv>, { row, key }: { row: Parameters<typeof platformKeyView>[0]; key: string }) {
  const { name, previousExpiresAt = null } = platformKeyView(row);
  const view = { name, key, previousExpiresAt };
  return page(c, { title: name, section: SECTION }, <IssuedKey {...view} />);
}

async function nameOf(c: Context<AppEnv>): Promise<string> {
  const deps = c.get("deps");
  const id = pathParam(c, "id");
  const key = (await listPlatformKeys(deps, deps.now())).find((one) => one.id === id);
  if (!key) throw notFound("Platform key");
  return key.name;
}

async function rotationPage(c: Context<AppEnv>, overlap: string, refused?: Refused) {
  const view = { name: await nameOf(c), action: pathHere(c), overlap };
  return page(c, { title: "Rotate", section: SECTION, refused }, <RotationForm {...view} />);
}

const KEY: ChangeSubject = {
  read: async (c) => ({ name: await nameOf(c), counts: [] }),
  back: () => HERE,
};

export const platformKeyPages = new Pages()
  .get(
    "/",
    ...serve(platformKeys.list, (c, keys) =>
      page(
        c,
        { title: "Platform keys", section: SECTION },
        <PlatformKeys keys={keys.map(platformKeyView)} install={installLine(new URL(c.req.url).origin)} />,
      ),
    ),
  )
  .get("/new", requires(platformKeys.issue), confirmedOnly, (c) => newKeyPage(c, typedBefore(c)))
  .form("/new", platformKeys.issue, {
    values: (sent) => ({
      name: sent.text("name"),
      scopes: sent.list("scopes"),
      tenants: sent.text("tenants"),
      days: sent.text("expiresAt"),
    }),
    input: ({ name, scopes, tenants, days }, c) => {
      const only = linesOf(tenants);
      const limits = only.length === 0 ? {} : { tenants: only };
      return { name, scopes, ...limits, ...expiryOf(days, c.get("deps").now()) };
    },
    done: issuedPage,
    again: (c, refused, values) => newKeyPage(c, values, refused),
    confirmedAt: filledIn,
  })
  .get("/:id/rotate", requires(platformKeys.rotate), confirmedOnly, (c) => rotationPage(c, OVERLAPS[0][0]))
  .form("/:id/rotate", platformKeys.rotate, {
    values: (sent) => ({ overlap: sent.text("overlapSeconds") }),
    input: ({ overlap }) => ({ overlapSeconds: Number(overlap || "none") }),
    done: issuedPage,
    again: (c, refused, { overlap }) => rotationPage(c, overlap, refused),
    confirmedAt: (_values, c) => pathHere(c),
  })
  .route("/", changePages(KEY_CHANGES, KEY)).router;
