/** What people and programs do with sources. */
import { notFound, orNotFound } from "../../base/errors";
import { operation, WITH_KEYS } from "../../base/operation";
import { MANAGE_SOURCES } from "../access";
import { addSecret, changeSource, createSource, removeSecret, sourceOf, trySample } from "./changes";
import { listSourceErrors } from "./errors-store";
import { newSource, newSourceSecret, sourceChange, sourceSample } from "./schemas";
import { deleteSource, listSources } from "./store";

const READ = { callers: WITH_KEYS, permission: "webhook.read" } as const;

export const sources = {
  create: operation({
    ...MANAGE_SOURCES,
    schema: newSource,
    verb: ({ deps, principal, input }) => createSource(deps, principal, input),
  }),
  list: operation({ ...READ, verb: ({ deps, principal }) => listSources(deps, principal) }),
  get: operation({ ...READ, verb: ({ deps, principal, param }) => sourceOf(deps, principal, param("id")) }),
  errors: operation({
    ...READ,
    verb: async ({ deps, principal, param }) =>
      orNotFound(await listSourceErrors(deps, principal, param("id")), "Source"),
  }),
  change: operation({
    ...MANAGE_SOURCES,
    schema: sourceChange,
    verb: ({ deps, principal, param, input }) => changeSource(deps, principal, param("id"), input),
  }),
  delete: operation({
    ...MANAGE_SOURCES,
    verb: async ({ deps, principal, param }) => {
      if (!(await deleteSource(deps, principal, param("id")))) throw notFound("Source");
    },
  }),
  addSecret: operation({
    ...MANAGE_SOURCES,
    schema: newSourceSecret,
    verb: ({ deps, principal, param, input }) => addSecret(deps, principal, param("id"), input.secret),
  }),
  removeSecret: operation({
    ...MANAGE_SOURCES,
    verb: ({ deps, principal, param }) => removeSecret(deps, principal, param("id"), param("secretId")),
  }),
  test: operation({
    ...MANAGE_SOURCES,
    // A sample of up to 256 KiB as a JSON string.
    bodyKiB: 1024,
    schema: sourceSample,
    verb: ({ deps, principal, param, input }) => trySample(deps, principal, param("id"), input),
  }),
};
