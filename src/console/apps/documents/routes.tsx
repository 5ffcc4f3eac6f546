/** `/console/operator/apps/documents`: operators list apps of agents by their documents, and keep copies of them. */
import type { Context } from "hono";
import { AppError, invalidField, notFound } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { pathParam, requires } from "../../../base/http/operation";
import { clients } from "../../../oauth/clients/api";
import { fetchDocument } from "../../../oauth/clients/unlisted/document";
import { findCopy } from "../../../oauth/clients/unlisted/listed-store";
import { FormButtons, LinkButton, PostForm } from "../../components/buttons";
import { TextArea, TextField } from "../../components/fields";
import { NarrowPage } from "../../components/narrow-page";
import { confirmedOnly } from "../../http/confirmed";
import { pathHere } from "../../http/mount";
import { flash, page, type Refused } from "../../http/page";
import { Pages } from "../../http/pages";
import { PLATFORMS } from "../place";

const { here, above, section } = PLATFORMS;

interface DocumentValues {
  clientId: string;
  document: string;
}

/** The document that is typed, as the API is sent it. Throws VALIDATION_FAILED. */
function documentIn(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw invalidField("document", "Must be JSON");
  }
}

const Copy = ({ document, hint }: { document: string; hint: string }) => (
  <TextArea name="document" label="Copy of its document" value={document} rows={12} class="mono" hint={hint} />
);

const newPage = (c: Context<AppEnv>, { clientId, document }: DocumentValues, refused?: Refused) =>
  page(
    c,
    { title: "List an app", section, refused },
    <NarrowPage title="List an app" trail={above}>
      <PostForm action={`${here}/documents/new`} class="card">
        <TextField
          name="clientId"
          label="URL of its document"
          value={clientId}
          type="url"
          hint="Its client_id."
          required
          maxlength={256}
        />
        <Copy document={document} hint="Serves when the URL cannot be fetched. Empty: what is there now." />
        <FormButtons cancel={here}>List the app</FormButtons>
      </PostForm>
    </NarrowPage>,
  );

async function changePage(c: Context<AppEnv>, typed?: string, refused?: Refused) {
  const deps = c.get("deps");
  const id = pathParam(c, "client");
  const copy = await findCopy(deps, id);
  if (copy === null) throw notFound("Client");
  const shown = JSON.stringify(JSON.parse(copy), null, 2);
  const present = await presentOf(c, id);
  return page(
    c,
    { title: "Listed app", section, refused },
    <NarrowPage title="Listed app" trail={above}>
      <p class="break">{id}</p>
      <p>{present === null ? "Its document cannot be fetched now: the copy serves." : differenceOf(shown, present)}</p>
      {present === null || present === shown ? null : <pre class="mono">{present}</pre>}
      <PostForm action={pathHere(c)} class="card">
        <Copy document={typed ?? shown} hint="Serves when the URL cannot be fetched." />
        <FormButtons cancel={here}>Save</FormButtons>
      </PostForm>
      <LinkButton to={`${here}/registered/${encodeURIComponent(id)}/delete`} kind="danger">
        Take it from the list
      </LinkButton>
    </NarrowPage>,
  );
}

const differenceOf = (copy: string, present: string): string =>
  copy === present ? "The copy is what is at the URL." : "The copy differs from what is at the URL now:";

/** What is at the URL now, as text; null for nothing. */
async function presentOf(c: Context<AppEnv>, id: string): Promise<string | null> {
  try {
    const document = await fetchDocument(c.get("deps"), id, c.get("clientIp"));
    return document === null ? null : JSON.stringify(document, null, 2);
  } catch (error) {
    if (error instanceof AppError && error.code === "RATE_LIMITED") return null;
    throw error;
  }
}

export const documentPages = new Pages()
  .get("/new", requires(clients.register), confirmedOnly, (c) => newPage(c, { clientId: "", document: "" }))
  .form("/new", clients.register, {
    values: (sent) => sent.texts("clientId", "document"),
    input: ({ clientId, document }) => ({ clientId: clientId.trim(), document: documentIn(document) }),
    done: flash(here, "appListed"),
    again: (c, refused, values) => newPage(c, values, refused),
    confirmedAt: () => `${here}/documents/new`,
  })
  .get("/:client", requires(clients.get), confirmedOnly, (c) => changePage(c))
  .form("/:client", clients.change, {
    values: (sent) => sent.text("document"),
    input: (document) => ({ document: documentIn(document) }),
    params: async (c) => ({ id: pathParam(c, "client") }),
    done: flash(here, "appChanged"),
    again: (c, refused, document) => changePage(c, document, refused),
    confirmedAt: (_values, c) => pathHere(c),
  }).router;
