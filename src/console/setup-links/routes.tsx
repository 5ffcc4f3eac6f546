/** `/console/setup-links`: the links with which the customer's IT sets up sign-on. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { listConnections } from "../../sign-on/connections/store";
import { setupLinks } from "../../sign-on/setup-links/api";
import { maySetUpSignOn } from "../connections/may-set-up";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { SetupLinks } from "./page";
import { inputOf, NEW_SETUP_LINK, readValues, type SetupLinkValues } from "./values";

const HERE = "/setup-links";

async function linksPage(
  c: Context<AppEnv>,
  { values = NEW_SETUP_LINK, refused, url }: { values?: SetupLinkValues; refused?: Refused; url?: string },
) {
  const principal = c.get("principal");
  const [links, connections] = [
    await perform(c, setupLinks.list, undefined),
    await listConnections(c.get("deps"), principal.tenantId),
  ];
  const mayChange = maySetUpSignOn(principal);
  return page(
    c,
    { title: "Setup links", refused, status: url === undefined ? 200 : 201 },
    <SetupLinks {...{ links, connections, mayChange, values, url }} />,
  );
}

export const setupLinkPages = new Pages()
  .get("/", requires(setupLinks.list), (c) => linksPage(c, {}))
  .form("/", setupLinks.make, {
    values: readValues,
    input: inputOf,
    confirmedAt: () => HERE,
    done: (c, { url }) => linksPage(c, { url }),
    again: (c, refused, values) => linksPage(c, { values, refused }),
  })
  .form("/:id/revoke", setupLinks.revoke, { confirmedAt: () => HERE, done: flash(HERE, "setupLinkRevoked") }).router;
