/** `/console/sources`: the URLs at which other systems send their webhooks. */
import type { Context } from "hono";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { newSecret } from "../../webhooks/signing/secret";
import { sources } from "../../webhooks/sources/api";
import { listSourceErrors } from "../../webhooks/sources/errors-store";
import type { SourceProvider } from "../../webhooks/sources/schemas";
import { listSources, readSource, type SourceRow } from "../../webhooks/sources/store";
import { errorView, sourceView, storedView } from "../../webhooks/sources/view";
import { ConfirmationPage } from "../components/confirmation-page";
import { flash, page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { SourceDetail } from "./detail";
import { EditSource, NewSourcePage } from "./form";
import { ChooseProvider, SourceList } from "./list";
import { providerOf, RECIPES } from "./recipes";
import { EMPTY_SAMPLE, readSample, type SampleView, sampleOf } from "./sample";
import { changeIn, optionsIn, readValues, type SourceValues, valuesOf } from "./values";

const SECTION = "sources";
const READ = { permission: "webhook.read" } as const;
const MANAGE = { permission: "source.manage" } as const;

const pathOf = (id: string) => `/sources/${id}`;
const rowOf = (c: Context<AppEnv>) => readSource(c.get("deps"), c.get("principal"), pathParam(c, "id"));

function providerIn(c: Context<AppEnv>): SourceProvider {
  const provider = providerOf(pathParam(c, "provider"));
  if (!provider) throw notFound("Page");
  return provider;
}

const newPage = (c: Context<AppEnv>, values: SourceValues, refused?: Refused) =>
  page(
    c,
    { title: "New source", section: SECTION, refused },
    <NewSourcePage provider={providerIn(c)} values={values} />,
  );

function editPage(c: Context<AppEnv>, { id, name, provider }: SourceRow, values: SourceValues, refused?: Refused) {
  const view = { id, savedName: name, provider, values };
  return page(c, { title: "Edit source", section: SECTION, refused }, <EditSource {...view} />);
}

async function detailPage(
  c: Context<AppEnv>,
  { sample = { texts: EMPTY_SAMPLE }, refused }: { sample?: SampleView; refused?: Refused } = {},
) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const row = await rowOf(c);
  const view = {
    source: await sourceView(deps, row, c.req.url),
    errors: ((await listSourceErrors(deps, principal, row.id)) ?? []).map(errorView),
    permissions: principal.permissions,
    sample,
  };
  return page(c, { title: row.name, section: SECTION, refused }, <SourceDetail {...view} />);
}

/** Shows the source again with the error of a form that is on its page. */
const again = (c: Context<AppEnv>, refused: Refused) => detailPage(c, { refused });

/** Nobody knows the secret that stands in until the provider shows its own. */
const secretsIn = ({ secret }: SourceValues, provider: SourceProvider): string[] =>
  secret === "" && RECIPES[provider].secret === "theirs later" ? [newSecret()] : [secret];

const turned = (enabled: boolean) => ({
  input: () => ({ enabled }),
  done: flash("/sources/:id", enabled ? "sourceOn" : "sourceOff"),
});

export const sourcePages = new Pages()
  .get("/", requires(READ), async (c) => {
    const principal = c.get("principal");
    const listed = (await listSources(c.get("deps"), principal)).map(storedView);
    return page(
      c,
      { title: "Sources", section: SECTION },
      <SourceList sources={listed} permissions={principal.permissions} />,
    );
  })
  .get("/new", requires(MANAGE), (c) => page(c, { title: "New source", section: SECTION }, <ChooseProvider />))
  .get("/new/:provider", requires(MANAGE), (c) => {
    const provider = providerIn(c);
    return newPage(c, valuesOf(provider, {}, "", RECIPES[provider].secret === "chosen" ? newSecret() : ""));
  })
  .get("/:id", requires(READ), (c) => detailPage(c))
  .get("/:id/edit", requires(MANAGE), async (c) => {
    const row = await rowOf(c);
    return editPage(c, row, valuesOf(row.provider, row.options, row.name));
  })
  .get("/:id/delete", requires(MANAGE), async (c) => {
    const { id, name } = await rowOf(c);
    return page(
      c,
      { title: "Delete source", section: SECTION },
      <ConfirmationPage of="source" name={name} action={`${pathOf(id)}/delete`} cancel={pathOf(id)} />,
    );
  })
  .form("/new/:provider", sources.create, {
    values: (sent, c) => readValues(sent, providerIn(c)),
    input: (values, c) => {
      const provider = providerIn(c);
      return { name: values.name, provider, secrets: secretsIn(values, provider), ...optionsIn(values, provider) };
    },
    done: (c, { id }) => redirectWithFlash(c, pathOf(id), "sourceCreated"),
    again: (c, refused, values) => newPage(c, values, refused),
  })
  .form("/:id", sources.change, {
    values: async (sent, c) => readValues(sent, (await rowOf(c)).provider),
    input: async (values, c) => ({ name: values.name, ...changeIn(values, (await rowOf(c)).provider) }),
    done: flash("/sources/:id", "changed"),
    again: async (c, refused, values) => {
      if (refused.error.code === "NOT_FOUND") throw refused.error;
      return editPage(c, await rowOf(c), values, refused);
    },
  })
  .form("/:id/on", sources.change, turned(true))
  .form("/:id/off", sources.change, turned(false))
  .form("/:id/secrets", sources.addSecret, {
    values: (sent) => sent.texts("secret"),
    done: flash("/sources/:id", "sourceSecretAdded"),
    again,
  })
  .form("/:id/secrets/:secretId/remove", sources.removeSecret, {
    done: flash("/sources/:id", "sourceSecretRemoved"),
    again,
  })
  .form("/:id/test", sources.test, {
    values: readSample,
    input: sampleOf,
    done: (c, result, texts) => detailPage(c, { sample: { texts, result } }),
    again: (c, refused, texts) => detailPage(c, { sample: { texts }, refused }),
  })
  .form("/:id/delete", sources.delete, { done: flash("/sources", "sourceDeleted") }).router;
