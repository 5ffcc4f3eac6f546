/** `/tenant/connections/:id/people`: whom a connection knows, and letting in whom it keeps out. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { changerBy, changerOf, tenantOf } from "../../sign-on/connections/changer";
import { BY_OWNERS, ofConnection, READ, READ_BY_KEY, WRITE, WRITE_BY_KEY } from "../../sign-on/rights";
import { peopleOf } from "./people";
import { releasePerson } from "./release";
import { connectionPerson, peopleQuery } from "./schemas";

const TEXTS = {
  list: "Whom a connection knows: the people of its directory, then who has signed on without a record there.",
  release: "Lets somebody in whom a connection keeps out.",
  releaseMore:
    "It ends the former subject of the account with the address, and the mark that somebody here has removed the " +
    "person. `CONFLICT` says what else keeps them out.",
} as const;
const page = z
  .object({ data: z.array(connectionPerson), nextCursor: z.string().nullable() })
  .meta({ id: "ConnectionPeople", description: "A page of the people of a connection." });

export const people = {
  list: endpoint({
    id: "listConnectionPeople",
    summary: TEXTS.list,
    ...READ,
    schema: peopleQuery,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: page }),
    verb: ({ deps, session, param, input }) =>
      peopleOf(deps, { tenantId: session.tenantId, connectionId: param("id") }, input),
    answer: (c, found) => c.json(found),
  }),
  release: endpoint({
    id: "releaseConnectionPerson",
    summary: TEXTS.release,
    description: `${TEXTS.releaseMore} ${BY_OWNERS}`,
    ...WRITE,
    errors: ["NOT_FOUND", "CONFLICT"],
    verb: ({ deps, session, param }) => releasePerson(deps, changerOf(session), param("id"), param("person")),
    answer: saying("Person released."),
  }),
  listByKey: endpoint({
    id: "listPlatformConnectionPeople",
    summary: TEXTS.list,
    ...READ_BY_KEY,
    schema: peopleQuery,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: page, path: ofConnection }),
    verb: async ({ deps, platformKey, param, input }) =>
      peopleOf(
        deps,
        { tenantId: await tenantOf(deps, platformKey, param("tenant")), connectionId: param("id") },
        input,
      ),
    answer: (c, found) => c.json(found),
  }),
  releaseByKey: endpoint({
    id: "releasePlatformConnectionPerson",
    summary: TEXTS.release,
    description: TEXTS.releaseMore,
    ...WRITE_BY_KEY,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ path: ofConnection.extend({ person: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      releasePerson(deps, await changerBy(deps, platformKey, param("tenant")), param("id"), param("person")),
    answer: saying("Person released."),
  }),
};

export const peopleRoutes = routes({
  "GET /:id/people": people.list,
  "POST /:id/people/:person/release": people.release,
});

export const platformPeopleRoutes = routes({
  "GET /:tenant/connections/:id/people": people.listByKey,
  "POST /:tenant/connections/:id/people/:person/release": people.releaseByKey,
});
