/** `/console/connections`: the tenant's own identity providers. */
import type { Context } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import {
  CONNECTION_PROVIDERS,
  type ConnectionKind,
  type ConnectionProvider,
} from "../../base/schemas/connection-settings";
import { rolesPreviews } from "../../directory/groups/api";
import type { RolesPreview } from "../../directory/groups/schemas";
import { connections } from "../../sign-on/connections/api";
import { changerOf, reached } from "../../sign-on/connections/changer";
import { connectionOf, connectionsOf } from "../../sign-on/connections/manage";
import { PROVIDER_RECIPES } from "../../sign-on/connections/recipes";
import { connectionView } from "../../sign-on/connections/view";
import { domainsOf } from "../../sign-on/domains/domains";
import { signOn } from "../../sign-on/flow/api";
import { traceOf, tracesOf } from "../../sign-on/traces/api";
import { ConfirmationPage } from "../components/confirmation-page";
import { Select } from "../components/fields";
import { goOn } from "../http/go-on";
import { isSetup } from "../http/mount";
import { flash, page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { ConnectionDetail } from "./detail";
import { DIRECTORY, EditDirectory, NewDirectoryPage } from "./directory-alone";
import { EditConnection, type EditProps, NewConnectionPage } from "./form";
import { ChooseIdentityProvider, ConnectionList } from "./list";
import { maySetUpSignOn } from "./may-set-up";
import { BY_SAML, EditSaml, NewSamlPage } from "./saml";
import { TracePage } from "./traces";
import {
  basicsIn,
  type ConnectionValues,
  changeIn,
  directoryChangeIn,
  EMPTY_VALUES,
  providerChangeIn,
  readValues,
  rulesIn,
  samlBasicsIn,
  samlChangeIn,
  valuesOf,
} from "./values";

const READ = { permission: "member.manage", notInPlatform: true, inSetup: "connection" } as const;
const WRITE = { permission: "owner", notInPlatform: true, inSetup: "connection" } as const;
/** What ends a connection is no setup link's. */
const END = { permission: "owner", notInPlatform: true } as const;

const pathOf = (id: string) => `/connections/${id}`;

async function viewOf(c: Context<AppEnv>) {
  const deps = c.get("deps");
  const principal = c.get("principal");
  return connectionView(deps, await connectionOf(deps, principal.tenantId, reached(principal, pathParam(c, "id"))));
}

/** What a new connection is by the path of its form: of a kind without presets, or at a provider. */
const newKind = (c: Context<AppEnv>) => [BY_SAML, DIRECTORY].find((kind) => kind === pathParam(c, "provider"));

function providerIn(c: Context<AppEnv>): ConnectionProvider {
  const provider = CONNECTION_PROVIDERS.find((one) => one === pathParam(c, "provider"));
  if (!provider) throw notFound("Page");
  return provider;
}

const CREATED = { oidc: "connectionCreated", saml: "samlCreated", directory: "directoryCreated" } as const;

const newPage = (c: Context<AppEnv>, values: ConnectionValues, refused?: Refused) =>
  page(c, { title: "New connection", refused }, newForm(c, values));

function newForm(c: Context<AppEnv>, values: ConnectionValues) {
  const kind = newKind(c);
  if (kind === DIRECTORY) return <NewDirectoryPage values={values} />;
  if (kind === BY_SAML) return <NewSamlPage values={values} />;
  return <NewConnectionPage provider={providerIn(c)} values={values} />;
}

/** What the API is sent for a new connection. */
function inputOf(values: ConnectionValues, c: Context<AppEnv>) {
  const kind = newKind(c);
  if (kind === DIRECTORY) return { name: values.name, kind };
  if (kind === BY_SAML) return { kind, ...samlBasicsIn(values) };
  const provider = providerIn(c);
  const { subject } = PROVIDER_RECIPES[provider];
  const attributes = values["oidc.issuer"] === "" ? {} : { attributes: { subject } };
  return { name: values.name, provider, oidc: basicsIn(values), ...attributes };
}

interface EditState {
  values?: ConnectionValues;
  refused?: Refused | undefined;
  counted?: RolesPreview;
}

async function editPage(c: Context<AppEnv>, { values, refused, counted }: EditState = {}) {
  const view = await viewOf(c);
  const { id, name, provider, kind, directory } = view;
  const preview = isSetup(c) || directory === undefined ? null : { counted };
  const shown = { id, savedName: name, values: values ?? valuesOf(view), preview };
  return page(c, { title: "Edit connection", refused }, editForm(kind, shown, provider));
}

function editForm(kind: ConnectionKind, shown: EditProps, provider: ConnectionProvider) {
  if (kind === "directory") return <EditDirectory {...shown} />;
  return kind === "saml" ? <EditSaml {...shown} /> : <EditConnection {...shown} provider={provider} />;
}

async function detailPage(c: Context<AppEnv>, refused?: Refused) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const view = await viewOf(c);
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const traces = await tracesOf(deps, changerOf(principal), view.id);
  const domains = view.needsReview ? await domainsOf(deps, principal.tenantId) : [];
  return page(
    c,
    { title: view.name, refused },
    <ConnectionDetail connection={view} traces={traces} domains={domains} mayChange={maySetUpSignOn(principal)} />,
  );
}

/** Shows the connection again with the error of a form that is on its page. */
const again = (c: Context<AppEnv>, refused: Refused) => detailPage(c, refused);
const confirmedAt = (_: unknown, c: Context<AppEnv>) => pathOf(pathParam(c, "id"));

export const connectionPages = new Pages()
  .get("/", requires(READ), async (c) => {
    const [deps, principal] = [c.get("deps"), c.get("principal")];
    const listed = (await connectionsOf(deps, principal)).map((row) => connectionView(deps, row));
    const mayAdd = maySetUpSignOn(principal) && !(isSetup(c) && listed.length > 0);
    return page(c, { title: "Single sign-on" }, <ConnectionList connections={listed} mayAdd={mayAdd} />);
  })
  .get("/new", requires(WRITE), (c) => page(c, { title: "New connection" }, <ChooseIdentityProvider />))
  .get("/new/:provider", requires(WRITE), (c) => newPage(c, EMPTY_VALUES))
  .get("/:id", requires(READ), (c) => detailPage(c))
  .get("/:id/edit", requires(WRITE), (c) => editPage(c))
  .get("/:id/disable", requires(END), async (c) => {
    const { id, name, kind } = await viewOf(c);
    const of = kind === "directory" ? "directoryEnd" : "connectionEnd";
    return page(
      c,
      { title: "Disable connection" },
      <ConfirmationPage of={of} name={name} action={`${pathOf(id)}/disable`} cancel={pathOf(id)} />,
    );
  })
  .get("/:id/delete", requires(END), async (c) => {
    const { id, name } = await viewOf(c);
    return page(
      c,
      { title: "Delete connection" },
      <ConfirmationPage of="connection" name={name} action={`${pathOf(id)}/delete`} cancel={pathOf(id)}>
        <Select
          name="members"
          label="The members whom it has made"
          value="keep"
          options={[
            ["keep", "Stay members"],
            ["remove", "Are removed, owners aside"],
          ]}
        />
      </ConfirmationPage>,
    );
  })
  .get("/:id/traces/:trace", requires(READ), async (c) => {
    const { id, name } = await viewOf(c);
    const found = await traceOf(c.get("deps"), changerOf(c.get("principal")), id, pathParam(c, "trace"));
    return page(c, { title: name }, <TracePage id={id} name={name} trace={found} />);
  })
  .form("/new/:provider", connections.create, {
    values: readValues,
    input: inputOf,
    confirmedAt: (_, c) => `/connections/new/${newKind(c) ?? providerIn(c)}`,
    done: (c, { id, kind }) => redirectWithFlash(c, pathOf(id), CREATED[kind]),
    again: (c, refused, values) => newPage(c, values, refused),
  })
  .form("/:id", connections.change, {
    values: readValues,
    input: async (values, c) => {
      const { kind } = await viewOf(c);
      if (kind === "directory") return directoryChangeIn(values, isSetup(c));
      if (kind === "saml") return samlChangeIn(values, isSetup(c));
      return isSetup(c) ? providerChangeIn(values) : changeIn(values);
    },
    confirmedAt: (_, c) => `${pathOf(pathParam(c, "id"))}/edit`,
    done: flash("/connections/:id", "changed"),
    again: (c, refused, values) => editPage(c, { values, refused }),
  })
  .form("/:id/roles/preview", rolesPreviews.preview, {
    values: readValues,
    input: (values) => ({ rules: rulesIn(values) }),
    done: (c, counted, values) => editPage(c, { values, counted }),
    again: (c, refused, values) => editPage(c, { values, refused }),
  })
  .form("/:id/test", signOn.test, { confirmedAt, done: (c, { url }) => goOn(c, url), again })
  .form("/:id/activate", connections.activate, {
    confirmedAt,
    done: flash("/connections/:id", "connectionActivated"),
    again,
  })
  .form("/:id/disable", connections.disable, {
    confirmedAt,
    done: flash("/connections/:id", "connectionDisabled"),
    again,
  })
  .form("/:id/delete", connections.delete, {
    values: (sent) => sent.texts("members"),
    confirmedAt,
    done: flash("/connections", "connectionDeleted"),
  }).router;
