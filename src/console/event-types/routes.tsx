/** `/console/event-types`: the declared types, their schemas, and which types can be published. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, perform, requires } from "../../base/http/operation";
import { READ_TYPES } from "../../webhooks/access";
import { eventTypes } from "../../webhooks/event-types/api";
import { eventTypeQuery } from "../../webhooks/event-types/schemas";
import { summaryView, typeView, versionSummaryView, versionView } from "../../webhooks/event-types/view";
import { ConfirmationPage } from "../components/confirmation-page";
import { parse } from "../failure";
import { flash, page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import {
  type CatalogueValues,
  catalogueChangeOf,
  EditCatalogue,
  readCatalogueForm,
  valuesOfCatalogue,
} from "./catalogue";
import { TypeDetail, VersionDetail } from "./detail";
import { EditType, NewType, NewVersionPage } from "./form";
import { TypeList } from "./list";
import { receiversOf } from "./receivers";
import { changeOf, creationOf, EMPTY, readValues, type TypeValues, valuesOf, versionOf } from "./values";

const SECTION = "eventTypes";
const UPDATE = { permission: "webhook.update" } as const;

const nameOf = (c: Context<AppEnv>) => pathParam(c, "name");
const pathTo = (name: string) => `/event-types/named/${encodeURIComponent(name)}`;

async function typeIn(c: Context<AppEnv>) {
  const declared = await perform(c, eventTypes.get, undefined);
  return typeView(declared, declared.subscribers);
}

/** Shows a form, for the first time with what is stored, and after an error with what was sent. */
const formPage =
  (title: string, Form: typeof NewType, isNew = false) =>
  async (c: Context<AppEnv>, refused?: Refused, values?: TypeValues) => {
    if (refused?.error.code === "NOT_FOUND") throw refused.error;
    const shown = values ?? (isNew ? EMPTY : valuesOf(await typeIn(c)));
    const named = isNew ? shown : { ...shown, name: nameOf(c) };
    const options = { title, section: SECTION, refused } as const;
    return page(c, options, <Form values={named} />);
  };

const newPage = formPage("Declare an event type", NewType, true);
const editPage = formPage("Edit an event type", EditType);
const versionPage = formPage("New version", NewVersionPage);

/** Shows the form of the catalogue, as `formPage` does. */
async function cataloguePage(c: Context<AppEnv>, refused?: Refused, values?: CatalogueValues) {
  const shown = values ?? valuesOfCatalogue((await perform(c, eventTypes.settings, undefined)).catalog);
  const options = { title: "Catalogue", section: SECTION, refused } as const;
  return page(c, options, <EditCatalogue values={shown} />);
}

export const eventTypePages = new Pages()
  .get("/", requires(READ_TYPES), async (c) => {
    const asked = { archived: c.req.query("archived"), cursor: c.req.query("cursor") };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    const query = parse(eventTypeQuery, given);
    const { types, nextCursor } = await perform(c, eventTypes.list, query);
    const view = {
      types: types.map(summaryView),
      isAll: query.archived === "include",
      nextCursor,
      settings: await perform(c, eventTypes.settings, undefined),
      permissions: c.get("principal").permissions,
    };
    return page(c, { title: "Event types", section: SECTION }, <TypeList {...view} />);
  })
  .get("/new", requires({ permission: "webhook.create" }), (c) => newPage(c))
  .get("/catalogue", requires({ permission: "member.manage" }), (c) => cataloguePage(c))
  .get("/named/:name", requires(READ_TYPES), async (c) => {
    const type = await typeIn(c);
    const versions = (await perform(c, eventTypes.versions, undefined)).map(versionSummaryView);
    const { permissions } = c.get("principal");
    return page(
      c,
      { title: type.name, section: SECTION },
      <TypeDetail
        {...{ type, versions, permissions }}
        receivers={await receiversOf(c.get("deps"), c.get("principal"), type)}
      />,
    );
  })
  .get("/named/:name/versions/:version", requires(READ_TYPES), async (c) => {
    const version = versionView(await perform(c, eventTypes.version, undefined));
    return page(c, { title: nameOf(c), section: SECTION }, <VersionDetail name={nameOf(c)} version={version} />);
  })
  .get("/named/:name/edit", requires(UPDATE), (c) => editPage(c))
  .get("/named/:name/new-version", requires(UPDATE), (c) => versionPage(c))
  .get("/named/:name/delete", requires({ permission: "webhook.delete" }), async (c) => {
    const { name } = await typeIn(c);
    return page(
      c,
      { title: "Delete an event type", section: SECTION },
      <ConfirmationPage of="eventType" name={name} action={`${pathTo(name)}/delete`} cancel={pathTo(name)} />,
    );
  })
  .form("/", eventTypes.create, {
    values: readValues,
    input: creationOf,
    done: (c, { type }) => redirectWithFlash(c, pathTo(type.name), "typeDeclared"),
    again: newPage,
  })
  .form("/catalogue", eventTypes.changeSettings, {
    values: readCatalogueForm,
    input: catalogueChangeOf,
    done: flash("/event-types", "changed"),
    again: cataloguePage,
  })
  .form("/named/:name", eventTypes.change, {
    values: readValues,
    input: (values, c) => changeOf(values, c.get("deps").now()),
    done: flash("/event-types/named/:name", "changed"),
    again: editPage,
  })
  .form("/named/:name/versions", eventTypes.addVersion, {
    values: readValues,
    input: versionOf,
    done: (c, { row }) => redirectWithFlash(c, `${pathTo(nameOf(c))}/versions/${row.version}`, "versionAdded"),
    again: versionPage,
  })
  .form("/named/:name/delete", eventTypes.delete, { done: flash("/event-types", "typeDeleted") }).router;

export const eventTypeSettingsPages = new Pages().form("/", eventTypes.changeSettings, {
  values: (sent) => sent.texts("mode"),
  done: flash("/event-types", "changed"),
}).router;
