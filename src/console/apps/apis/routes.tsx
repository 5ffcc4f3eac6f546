/** `/apis` below a place: who manages the APIs there registers, changes and deletes them. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { pathParam, requires } from "../../../base/http/operation";
import { resourceOf, resourceView } from "../../../oauth/resources/manage";
import type { OperatorChange } from "../../changes/changes";
import { changePages } from "../../changes/routes";
import { FormButtons, LinkButton, PostForm } from "../../components/buttons";
import { Card, Copyable } from "../../components/display";
import { NarrowPage } from "../../components/narrow-page";
import { confirmedOnly } from "../../http/confirmed";
import type { Form } from "../../http/form";
import { pathHere } from "../../http/mount";
import { flash, page, type Refused } from "../../http/page";
import { Pages } from "../../http/pages";
import type { AppsPlace } from "../place";
import { API_FIELDS, ApiForm, type ApiValues, changeIn, inputOf, NEW_API, valuesOf } from "./form";

const typed = (sent: Form) => sent.texts(...API_FIELDS);

const read = async (c: Context<AppEnv>, { ownerOf }: AppsPlace) =>
  resourceView(await resourceOf(c.get("deps"), ownerOf(c.get("principal").tenantId), pathParam(c, "id")));

const newPage = (c: Context<AppEnv>, place: AppsPlace, values: ApiValues, refused?: Refused) =>
  page(
    c,
    { title: "New API", section: place.section, refused },
    <ApiForm title="New API" action={`${place.here}/apis/new`} values={values} place={place} />,
  );

async function changePage(c: Context<AppEnv>, place: AppsPlace, values?: ApiValues, refused?: Refused) {
  const api = await read(c, place);
  const view = { title: api.name, action: pathHere(c), id: api.id, values: values ?? valuesOf(api), place };
  return page(c, { title: api.name, section: place.section, refused }, <ApiForm {...view} />);
}

const rotationPage = (c: Context<AppEnv>, { above, section, here }: AppsPlace, api: { name: string }) =>
  page(
    c,
    { title: "New secret", section },
    <NarrowPage title={`A new secret of ${api.name}`} trail={above}>
      <PostForm action={pathHere(c)} class="card">
        <p>With it, the API asks this service about tokens. A former secret ends at once.</p>
        <FormButtons cancel={here}>Make a new secret</FormButtons>
      </PostForm>
    </NarrowPage>,
  );

/** The only page that shows the secret. */
const secretPage = (
  c: Context<AppEnv>,
  { above, section, here }: AppsPlace,
  { id, name, secret }: { id: string; name: string; secret: string },
) =>
  page(
    c,
    { title: name, section },
    <NarrowPage title={name} trail={above}>
      <Card id="issued" title="Copy the secret now: it will not be shown again">
        <p>
          ID: <Copyable text={id} label="the ID" />
        </p>
        <p>
          Secret: <Copyable text={secret} label="the secret" />
        </p>
        <LinkButton to={here} kind="main">
          I have copied it
        </LinkButton>
      </Card>
    </NarrowPage>,
  );

const changesOf = ({ resources }: AppsPlace): readonly OperatorChange[] => [
  {
    path: "/:id/delete",
    asks: "Delete",
    effects: ["It gets no tokens any more. Those that it has end within 15 minutes."],
    button: "Delete the API",
    asksForReason: false,
    done: "apiDeleted",
    operation: resources.delete,
  },
];

export function apiPages(place: AppsPlace) {
  const { resources, here, section } = place;
  const subject = {
    read: async (c: Context<AppEnv>) => ({ name: (await read(c, place)).name, counts: [] }),
    back: () => here,
    section,
  };
  return new Pages()
    .get("/new", requires(resources.register), confirmedOnly, (c) => newPage(c, place, NEW_API))
    .form("/new", resources.register, {
      values: typed,
      input: (values) => inputOf(values, place),
      done: flash(here, "apiRegistered"),
      again: (c, refused, values) => newPage(c, place, values, refused),
      confirmedAt: () => `${here}/apis/new`,
    })
    .get("/:id", requires(resources.get), confirmedOnly, (c) => changePage(c, place))
    .form("/:id", resources.change, {
      values: typed,
      input: async (values, c) => changeIn(values, place, await read(c, place)),
      done: flash(here, "apiChanged"),
      again: (c, refused, values) => changePage(c, place, values, refused),
      confirmedAt: (_values, c) => pathHere(c),
    })
    .get("/:id/secret", requires(resources.rotateSecret), confirmedOnly, async (c) =>
      rotationPage(c, place, await read(c, place)),
    )
    .form("/:id/secret", resources.rotateSecret, {
      values: () => ({}),
      done: (c, issued) => secretPage(c, place, issued),
      confirmedAt: (_values, c) => pathHere(c),
    })
    .route("/", changePages(changesOf(place), subject)).router;
}
