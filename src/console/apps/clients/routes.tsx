/** `/console/operator/apps/new` and `/registered/:id`: operators register, change and end the apps of the product. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { pathParam, requires } from "../../../base/http/operation";
import { clients } from "../../../oauth/clients/api";
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
import { CLIENT_CHANGES } from "./changes";
import {
  ABOVE_APP,
  ClientForm,
  type ClientValues,
  FIELDS,
  HERE,
  IssuedClient,
  type IssuedClientView,
  inputOf,
  NEW_CLIENT,
  valuesOf,
} from "./form";

const SECTION = "operator";

const read = (c: Context<AppEnv>) => clientOf(c.get("deps"), pathParam(c, "id"));

const typed = (sent: Form) =>
  Object.fromEntries(FIELDS.map((name) => [name, sent.text(name)])) as unknown as ClientValues;

const newPage = (c: Context<AppEnv>, values: ClientValues, refused?: Refused) =>
  page(
    c,
    { title: "New app", section: SECTION, refused },
    <ClientForm title="New app" action={`${HERE}/new`} values={values} />,
  );

async function changePage(c: Context<AppEnv>, values?: ClientValues, refused?: Refused) {
  const row = await read(c);
  const view = { title: row.name, action: pathHere(c), id: row.id, values: values ?? valuesOf(clientView(row, 0)) };
  return page(c, { title: row.name, section: SECTION, refused }, <ClientForm {...view} />);
}

const issuedPage = (c: Context<AppEnv>, { id, name, secret, previousExpiresAt }: IssuedClientView) =>
  page(c, { title: name, section: SECTION }, <IssuedClient {...{ id, name, secret, previousExpiresAt }} />);

async function rotationPage(c: Context<AppEnv>, overlap: string, refused?: Refused) {
  const { name } = await read(c);
  return page(
    c,
    { title: "New secret", section: SECTION, refused },
    <NarrowPage title={`A new secret of ${name}`} trail={ABOVE_APP}>
      <PostForm action={pathHere(c)} class="card">
        <Select name="overlapSeconds" label="The former secret works for" value={overlap} options={OVERLAPS} />
        <FormButtons cancel={HERE}>Make a new secret</FormButtons>
      </PostForm>
    </NarrowPage>,
  );
}

const CLIENT: ChangeSubject = {
  read: async (c) => ({ name: (await read(c)).name, counts: [] }),
  back: () => HERE,
};

export const clientPages = new Pages()
  .get("/new", requires(clients.register), confirmedOnly, (c) => newPage(c, NEW_CLIENT))
  .form("/new", clients.register, {
    values: typed,
    input: (values) => ({ ...inputOf(values), type: values.type }),
    done: (c, { data }) => issuedPage(c, data),
    again: (c, refused, values) => newPage(c, values, refused),
    confirmedAt: () => `${HERE}/new`,
  })
  .get("/registered/:id", requires(clients.get), confirmedOnly, (c) => changePage(c))
  .form("/registered/:id", clients.change, {
    values: typed,
    input: (values) => ({ ...inputOf(values), enabled: values.enabled !== "false" }),
    done: flash(HERE, "appChanged"),
    again: (c, refused, values) => changePage(c, values, refused),
    confirmedAt: (_values, c) => pathHere(c),
  })
  .get("/registered/:id/secret", requires(clients.rotateSecret), confirmedOnly, (c) => rotationPage(c, OVERLAPS[0][0]))
  .form("/registered/:id/secret", clients.rotateSecret, {
    values: (sent) => ({ overlap: sent.text("overlapSeconds") }),
    input: ({ overlap }) => ({ overlapSeconds: Number(overlap || "none") }),
    done: issuedPage,
    again: (c, refused, { overlap }) => rotationPage(c, overlap, refused),
    confirmedAt: (_values, c) => pathHere(c),
  })
  .route("/", changePages(CLIENT_CHANGES, CLIENT)).router;
