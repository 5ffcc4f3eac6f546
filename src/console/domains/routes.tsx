/** `/console/domains`: the domains of the tenant, for owners and admins. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { domains } from "../../sign-on/domains/api";
import { maySetUpSignOn } from "../connections/may-set-up";
import { flash, page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { Domains } from "./page";

const HERE = "/domains";

async function domainsPage(c: Context<AppEnv>, refused?: Refused, values = { domain: "" }) {
  const found = await perform(c, domains.list, undefined);
  const mayChange = maySetUpSignOn(c.get("principal"));
  return page(c, { title: "Domains", refused }, <Domains domains={found} mayChange={mayChange} values={values} />);
}

export const domainPages = new Pages()
  .get("/", requires(domains.list), (c) => domainsPage(c))
  .form("/", domains.claim, {
    values: (sent) => sent.texts("domain"),
    confirmedAt: () => HERE,
    done: flash(HERE, "domainAdded"),
    again: domainsPage,
  })
  .form("/:domain/check", domains.check, {
    confirmedAt: () => HERE,
    done: (c, { state }) => redirectWithFlash(c, HERE, state === "proved" ? "domainProved" : "domainNotFound"),
    again: (c, refused) => domainsPage(c, refused),
  })
  .form("/:domain/remove", domains.remove, {
    input: () => ({}),
    confirmedAt: () => HERE,
    done: flash(HERE, "domainRemoved"),
  }).router;
