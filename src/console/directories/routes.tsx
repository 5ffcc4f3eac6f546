/** `/console/directories`: the directory of each connection, its tokens and its people. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, perform, requires } from "../../base/http/operation";
import { pageOfGroups } from "../../directory/groups/pages";
import { people as peopleCalls } from "../../directory/people/api";
import { peopleOf } from "../../directory/people/people";
import { tokens as tokenCalls } from "../../directory/tokens/api";
import { connections } from "../../sign-on/connections/api";
import { reached } from "../../sign-on/connections/changer";
import { connectionOf } from "../../sign-on/connections/manage";
import { connectionView } from "../../sign-on/connections/view";
import { expiryOf } from "../components/lifetimes";
import { maySetUpSignOn } from "../connections/may-set-up";
import { isSetup } from "../http/mount";
import { flash, page, type Refused, redirectTo, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { GroupsPage } from "./groups";
import { NewDirectory } from "./new";
import { DirectoryPage } from "./page";
import { pathOf, type StateOfPeople } from "./paths";

const PAGE = 50;

async function directoryPage(c: Context<AppEnv>, { refused, token }: { refused?: Refused; token?: string } = {}) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const id = reached(principal, pathParam(c, "id"));
  const connection = connectionView(deps, await connectionOf(deps, principal.tenantId, id));
  const tokens = await perform(c, tokenCalls.list, undefined);
  const people = isSetup(c) ? null : await pageOfPeople(c, id);
  const mayChange = maySetUpSignOn(principal);
  return page(
    c,
    { title: `Directory of ${connection.name}`, refused, status: token === undefined ? 200 : 201 },
    <DirectoryPage {...{ connection, tokens, people, mayChange, token }} />,
  );
}

async function pageOfPeople(c: Context<AppEnv>, connectionId: string) {
  const { tenantId } = c.get("principal");
  const state: StateOfPeople = c.req.query("state") === "held" ? "held" : undefined;
  const cursor = c.req.query("cursor");
  const query = { limit: PAGE, ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) };
  const { data, nextCursor } = await peopleOf(c.get("deps"), { tenantId, connectionId }, query);
  const next = new URLSearchParams({ ...(state ? { state } : {}), cursor: nextCursor ?? "" });
  return { shown: data, state, next: nextCursor === null ? null : `${pathOf(connectionId)}?${next}` };
}

function newDirectoryPage(c: Context<AppEnv>, name: string, refused?: Refused) {
  const principal = c.get("principal");
  const mayConnect = principal.kind === "setup" && principal.setup.may.has("connection");
  return page(c, { title: "Connect your directory", refused }, <NewDirectory name={name} mayConnect={mayConnect} />);
}

const again = (c: Context<AppEnv>, refused: Refused) => directoryPage(c, { refused });
const confirmedAt = (_: unknown, c: Context<AppEnv>) => pathOf(pathParam(c, "id"));

export const directoryPages = new Pages()
  .get("/", requires(tokenCalls.list), (c) => {
    const principal = c.get("principal");
    if (principal.kind !== "setup") return redirectTo(c, "/connections");
    const id = principal.setup.connectionId;
    return id === null ? newDirectoryPage(c, "") : redirectTo(c, pathOf(id));
  })
  .get("/:id", requires(tokenCalls.list), (c) => directoryPage(c))
  .get("/:id/groups", requires(peopleCalls.list), async (c) => {
    const [deps, { tenantId }] = [c.get("deps"), c.get("principal")];
    const connectionId = pathParam(c, "id");
    const { name } = await connectionOf(deps, tenantId, connectionId);
    const { groups, next } = await pageOfGroups(deps, { tenantId, connectionId }, c.req.query("cursor") ?? "");
    const following = next === null ? null : `${pathOf(connectionId)}/groups?cursor=${next}`;
    return page(c, { title: "Groups" }, <GroupsPage {...{ id: connectionId, name, groups, next: following }} />);
  })
  .form("/", connections.createDirectory, {
    values: (sent) => sent.texts("name"),
    confirmedAt: () => "/connections/new/directory",
    done: (c, { id }) => redirectWithFlash(c, pathOf(id), "directoryCreated"),
    again: (c, refused, { name }) => newDirectoryPage(c, name, refused),
  })
  .form("/:id/tokens", tokenCalls.create, {
    values: (sent) => sent.texts("expiresAt"),
    input: ({ expiresAt }, c) => expiryOf(expiresAt, c.get("deps").now()),
    confirmedAt,
    done: (c, { token }) => directoryPage(c, { token }),
    again,
  })
  .form("/:id/tokens/:token/revoke", tokenCalls.revoke, {
    confirmedAt,
    done: flash("/directories/:id", "scimTokenRevoked"),
    again,
  })
  .form("/:id/accept", connections.activate, {
    confirmedAt,
    done: flash("/directories/:id", "scimTokenAccepted"),
    again,
  })
  .form("/:id/people/:person/release", peopleCalls.release, {
    confirmedAt,
    done: flash("/directories/:id", "personReleased"),
    again,
  }).router;
