/** Serves operations: their checks as middleware, and the handler of an API route. */

import type { Context, MiddlewareHandler } from "hono";
import { every } from "hono/combine";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { findTargetHandler } from "hono/utils/handler";
import type { ZodObject } from "zod";
import { AppError } from "../errors";
import type { Access, Call, Operation, Unchecked } from "../operation";
import { CONSOLE_PATH } from "../paths";
import { says } from "../schemas/schemas";
import { clientContextOf } from "./client-context";
import { cookiesOf } from "./cookies";
import type { AppEnv } from "./env";
import { can, operatorsOnly, ownersOnly, platformKeyOf, platformKeysOnly, sessionOf } from "./permissions";
import { limit } from "./rate-limit";
import { docsOf, documented, type RouteDocs } from "./route-docs";
import { body, query } from "./validate";

/** The checks of an operation. A caller without the permission does not use up the limit of others. */
export function requires(access: Access): MiddlewareHandler<AppEnv> {
  const checks = [
    ...(access.permission === undefined ? [] : [permissionCheck(access.permission, access)]),
    ...(access.scope === undefined ? [] : [platformKeysOnly(access.scope)]),
    ...(access.limit === undefined ? [] : [limit(access.limit.rule, access.limit.per, { units: access.limit.units })]),
  ];
  const docs = checks.map((check) => docsOf(check));
  return documented(every(...checks), {
    ...Object.assign({}, ...docs),
    access,
    errors: docs.flatMap((part) => part?.errors ?? []),
  });
}

function permissionCheck(
  permission: NonNullable<Access["permission"]>,
  { hasNoRecords, permissionInPlatform }: Access,
): MiddlewareHandler<AppEnv> {
  if (permission === "owner") return ownersOnly;
  if (permission === "operator") return operatorsOnly;
  return can(permission, hasNoRecords ? (permissionInPlatform ?? permission) : null);
}

/** A validated request. `from` is where the input is. */
interface Validated<From extends "json" | "query", Sent, Input> {
  in: Record<From, Sent>;
  out: Record<From, Input>;
}

type Served<From extends "json" | "query", Sent, Input, Answer> = [
  checks: MiddlewareHandler<AppEnv>,
  validate: MiddlewareHandler<AppEnv, string, Validated<From, Sent, Input>>,
  handler: (c: Context<AppEnv, string, Validated<From, Sent, Input>>) => Promise<Answer>,
];

/** The checks of an operation, its validation, and the handler that sends `answer`. */
export function serve<Input, Result, Sent, Answer, From extends "json" | "query" = "json">(
  operation: Operation<Input, Result, Sent>,
  answer: (c: Context<AppEnv>, result: Result, input: Input) => Answer | Promise<Answer>,
  from?: From,
): Served<From, Sent, Input, Answer> {
  const { schema } = operation;
  const validate = schema && (from === "query" ? query(schema as unknown as ZodObject) : body(schema));
  return [
    requires(operation),
    (validate ?? passThrough) as unknown as Served<From, Sent, Input, Answer>[1],
    performing(
      async (c) => {
        const input = (validate ? c.req.valid((from ?? "json") as never) : undefined) as Input;
        return answer(c as never, await perform(c as never, operation, input), input);
      },
      operation,
      docsOf(answer),
    ),
  ];
}

/** Marks a handler that performs an operation, for the tests that find all others and those with a step-up. */
export const performing = <H extends object>(
  handler: H,
  { stepUp }: Pick<Operation<never, unknown>, "stepUp">,
  docs: RouteDocs = {},
): H =>
  documented(handler, {
    ...docs,
    performs: true,
    ...(stepUp ? { confirms: true, errors: [...(docs.errors ?? []), ...stepUp.errors] } : {}),
  });

/** Sends this message as the answer to an operation, and documents it. */
export const saying = (message: string) =>
  documented((c: Context<AppEnv>) => c.json({ message }), {
    rest: () => ({ successes: { 200: { body: says(message) } } }),
  });

const passThrough = createMiddleware((_c, next) => next());

/** Checks the captcha and the step-up, and does what is asked. `params` are those that the path does not have. */
export async function perform<Input, Result, Sent>(
  c: Context<AppEnv>,
  { captcha, stepUp, verb }: Operation<Input, Result, Sent>,
  input: Input,
  params: PathParams = {},
): Promise<Result> {
  await captcha?.check(c.get("deps"), input);
  await stepUp?.check(c.get("deps"), sessionOf(c), input);
  return verb(callOf(c, input, params));
}

/** Parameters of a path, by name. */
export type PathParams = Readonly<Record<string, string>>;

const callOf = <Input>(c: Context<AppEnv>, input: Input, params: PathParams): Call<Input> => ({
  deps: c.get("deps"),
  input,
  get principal() {
    const principal: Call<Input>["principal"] | undefined = c.get("principal");
    if (!principal) throw new AppError("UNAUTHENTICATED");
    return principal;
  },
  get session() {
    return sessionOf(c);
  },
  get platformKey() {
    return platformKeyOf(c);
  },
  get holder() {
    const principal: Call<Input>["holder"] | undefined = c.get("principal");
    return principal ?? null;
  },
  get client() {
    return clientContextOf(c);
  },
  get cookies() {
    return cookiesOf(c);
  },
  get unchecked() {
    return uncheckedOf(c);
  },
  param: (name) => params[name] ?? pathParam(c, name),
});

const uncheckedOf = ({ req }: Context<AppEnv>): Unchecked => ({
  header: (name) => req.header(name),
  query: () => new URL(req.url).searchParams,
});

/** A parameter of the path. Throws if the route has none of this name. */
export function pathParam(c: Context<AppEnv>, name: string): string {
  const value: string | undefined = c.req.param(name);
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return value;
}

/** What is about the person and not about the tenant: the account's routes, and the pages that do the same. */
const PERSONAL_PATHS = ["/api/v1/auth/", `${CONSOLE_PATH}/security`, `${CONSOLE_PATH}/confirm-email`];

/** What a portal reaches of the API. */
const OF_PORTALS = /^(\w+ \/api\/v1\/webhooks|(GET|HEAD) \/api\/v1\/(events|stats|portal-session))(\/|$)/;

/** Whether the token of a portal may send the request. */
export const isOpenToPortals = (c: Context<AppEnv>): boolean => OF_PORTALS.test(`${c.req.method} ${c.req.path}`);

/** Whether the token of a feed may send the request. */
export const isOpenToFeedTokens = (c: Context<AppEnv>): boolean =>
  matchedRoutes(c).some(({ handler }) => docsOf(findTargetHandler(handler))?.access?.takesFeedTokens === true);

/**
 * Whether members of a suspended tenant may send the request, and those who lack the second factor that it requires.
 * They can protect their accounts, and operators cannot lock themselves out.
 */
export const isOpenWhenSuspended = (c: Context<AppEnv>): boolean =>
  PERSONAL_PATHS.some((path) => c.req.path.startsWith(path)) ||
  matchedRoutes(c).some(({ handler }) => {
    const access = docsOf(findTargetHandler(handler))?.access;
    return access?.openWhenSuspended === true || access?.permission === "operator";
  });
