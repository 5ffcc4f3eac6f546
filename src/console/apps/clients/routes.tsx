/** `/new` and `/registered/:id` below a place: who manages the apps there registers, changes and ends them. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { pathParam, requires } from "../../../base/http/operation";
import { clientOf, clientView } from "../../../oauth/clients/manage";
import { type ChangeSubject, changePages } from "../../changes/routes";
import { FormButtons, PostForm } from "../../components/buttons";
import { Select } from "../../components/fields";
import { NarrowPage } from "../../components/narrow-page";
import { confirmedOnly } from "../../http/confirmed";
import type { Form } from "../../http/form";
import { pathHere } from "../../http/mount";
import { flash, page, type Refused } from "../../http/page";
import { Pages } from "../../http/pages";
import { OVERLAPS } from "../../platform-keys/forms";
import type { AppsPlace } from "../place";
import { changesOfClient } from "./changes";
import {
  ClientForm,
  type ClientValues,
  FIELDS,
  IssuedClient,
  type IssuedClientView,
  inputOf,
  NEW_CLIENT,
  valuesOf,
} from "./form";

const typed = (sent: Form) =>
  Object.fromEntries(FIELDS.map((name) => [name, sent.text(name)])) as unknown as ClientValues;

const read = (c: Context<AppEnv>, { ownerOf }: AppsPlace) =>
  clientOf(c.get("deps"), ownerOf(c.get("principal").tenantId), pathParam(c, "id"));

const newPage = (c: Context<AppEnv>, place: AppsPlace, values: ClientValues, refused?: Refused) =>
  page(
    c,
    { title: "New app", section: place.section, refused },
    <ClientForm title="New app" action={`${place.here}/new`} values={values} place={place} />,
  );

async function changePage(c: Context<AppEnv>, place: AppsPlace, values?: ClientValues, refused?: Refused) {
  const row = await read(c, place);
  const view = { title: row.name, action: pathHere(c), id: row.id, values: values ?? valuesOf(clientView(row, 0)) };
  return page(c, { title: row.name, section: place.section, refused }, <ClientForm {...view} place={place} />);
}

const issuedPage = (
  c: Context<AppEnv>,
  place: AppsPlace,
  { id, name, secret, previousExpiresAt }: IssuedClientView,
) => {
  const view = { id, name, secret, previousExpiresAt, place };
  return page(c, { title: name, section: place.section }, <IssuedClient {...view} />);
};

async function rotationPage(c: Context<AppEnv>, place: AppsPlace, overlap: string, refused?: Refused) {
  const { name } = await read(c, place);
  return page(
    c,
    { title: "New secret", section: place.section, refused },
    <NarrowPage title={`A new secret of ${name}`} trail={place.above}>
      <PostForm action={pathHere(c)} class="card">
        <Select name="overlapSeconds" label="The former secret works for" value={overlap} options={OVERLAPS} />
        <FormButtons cancel={place.here}>Make a new secret</FormButtons>
      </PostForm>
    </NarrowPage>,
  );
}

const subjectAt = (place: AppsPlace): ChangeSubject => ({
  read: async (c) => ({ name: (await read(c, place)).name, counts: [] }),
  back: () => place.here,
  section: place.section,
});

export function clientPages(place: AppsPlace) {
  const { clients, here } = place;
  return new Pages()
    .get("/new", requires(clients.register), confirmedOnly, (c) => newPage(c, place, NEW_CLIENT))
    .form("/new", clients.register, {
      values: typed,
      input: (values) => ({ ...inputOf(values, place), type: values.type }),
      done: (c, { data }) => issuedPage(c, place, data),
      again: (c, refused, values) => newPage(c, place, values, refused),
      confirmedAt: () => `${here}/new`,
    })
    .get("/registered/:id", requires(clients.get), confirmedOnly, (c) => changePage(c, place))
    .form("/registered/:id", clients.change, {
      values: typed,
      input: (values) => ({ ...inputOf(values, place), enabled: values.enabled !== "false" }),
      done: flash(here, "appChanged"),
      again: (c, refused, values) => changePage(c, place, values, refused),
      confirmedAt: (_values, c) => pathHere(c),
    })
    .get("/registered/:id/secret", requires(clients.rotateSecret), confirmedOnly, (c) =>
      rotationPage(c, place, OVERLAPS[0][0]),
    )
    .form("/registered/:id/secret", clients.rotateSecret, {
      values: (sent) => ({ overlap: sent.text("overlapSeconds") }),
      input: ({ overlap }) => ({ overlapSeconds: Number(overlap || "none") }),
      done: (c, issued) => issuedPage(c, place, issued),
      again: (c, refused, { overlap }) => rotationPage(c, place, overlap, refused),
      confirmedAt: (_values, c) => pathHere(c),
    })
    .route("/", changePages(changesOfClient(place), subjectAt(place))).router;
}
